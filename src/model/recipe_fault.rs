//! What is wrong with a trainer's configuration, as data: the reader of the configuration says it, a check reports it.

use std::fmt;

use super::{Consequence, Level};

/// A place in a text file; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl Place {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Kinds of faults in a configuration; each has a check of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecipeFaultKind {
    /// The text is not what its syntax allows, or the trainer's parser refuses it.
    Parse,
    /// A folder is named by nothing at all.
    EmptyPath,
    /// A path holds control characters, which were backslashes before the parser read them.
    ControlCharacters,
    /// A key that the trainer does not know at this place.
    UnknownKey,
    /// A value of another type than the trainer wants.
    WrongType,
    /// A key without which the trainer does not run.
    MissingKey,
    /// A value of the right type that is out of range.
    Range,
    /// Options that exclude each other.
    Conflict,
    /// An option that has no effect beside another one.
    LostOption,
    /// An option that makes the trainer delete files.
    DeletesFiles,
    /// A file or a variable that is referred to and is not there.
    Unresolved,
}

/// One fault of a trainer's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFault {
    /// What kind of fault.
    pub kind: RecipeFaultKind,
    /// How bad it is.
    pub level: Level,
    /// The trainer, as arguments spell it.
    pub trainer: &'static str,
    /// The file, as it was named.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What was seen and the limit it broke: one sentence, lower case, no final period.
    pub message: String,
    /// What the trainer makes of it.
    pub consequence: Consequence,
    /// What to do, as one imperative sentence.
    pub help: String,
}
