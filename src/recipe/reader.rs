//! What the readers of all trainers share: opening files, collecting faults, looking at paths.

use std::io;

use super::document::{Document, Node, Syntax, SyntaxFault, Value};
use super::plan::{DatasetRecipe, PathText, Recipe, RecipeSetting};
use crate::model::{Consequence, Level, Outcome, Phase, Place, RecipeFault, RecipeFaultKind, printable};

/// More faults than anybody reads.
const MAX_FAULTS: usize = 1000;

/// Opens a file that a configuration names.
pub(super) type Load<'a> = &'a dyn Fn(&str) -> io::Result<Vec<u8>>;
/// Looks up an environment variable.
pub(super) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A file that was read and parsed.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its name, as it was given.
    pub(super) name: String,
    /// The tree.
    pub(super) document: Document,
    /// The script that a command line starts.
    pub(super) script: String,
}

/// What a fault means to the trainer: what it does, when, in words.
pub(super) struct Means(pub(super) Outcome, pub(super) Phase, pub(super) String);

impl Means {
    /// The trainer ends before it has opened a picture.
    pub(super) fn stops(text: impl Into<String>) -> Self {
        Self(Outcome::Stop, Phase::DatasetScan, text.into())
    }

    /// It trains on something else than is meant.
    pub(super) fn distorts(text: impl Into<String>) -> Self {
        Self(Outcome::Distort, Phase::Training, text.into())
    }
}

/// Collects what is read.
pub(super) struct Reader<'a> {
    load: Load<'a>,
    /// Looks up an environment variable.
    pub(super) env: Env<'a>,
    /// What has been read so far.
    pub(super) recipe: Recipe,
}

impl<'a> Reader<'a> {
    /// Nothing read yet.
    pub(super) fn new(trainer: &'static str, load: Load<'a>, env: Env<'a>) -> Self {
        let recipe = Recipe {
            trainer,
            script: None,
            files: Vec::new(),
            datasets: Vec::new(),
            faults: Vec::new(),
            seed: None,
            batch_size: None,
            gradient_accumulation: None,
            epochs: None,
            steps: None,
            output: None,
        };
        Self { load, env, recipe }
    }

    /// Reports a fault. Its level follows from what the trainer does, except that a path that leads elsewhere is always an error.
    pub(super) fn fault(
        &mut self,
        kind: RecipeFaultKind,
        (file, place): (&str, Place),
        message: impl Into<String>,
        means: Means,
        help: impl Into<String>,
    ) -> &mut RecipeFault {
        let Means(outcome, phase, text) = means;
        let level = match (kind, outcome) {
            (RecipeFaultKind::Parse | RecipeFaultKind::EmptyPath | RecipeFaultKind::ControlCharacters, _) | (_, Outcome::Stop) => {
                Level::Error
            }
            _ => Level::Warning,
        };
        let fault = RecipeFault {
            kind,
            level,
            trainer: self.recipe.trainer,
            file: file.to_owned(),
            place,
            message: message.into(),
            consequence: Consequence { outcome, phase, text },
            help: help.into(),
        };
        // The last one gives way, so that a list of a million faults costs no more than one that can be read.
        self.recipe.faults.truncate(MAX_FAULTS);
        let at = self.recipe.faults.len();
        self.recipe.faults.push(fault);
        #[expect(clippy::indexing_slicing, reason = "it was pushed the line before")]
        &mut self.recipe.faults[at]
    }

    /// Parses a file; what hinders that is a fault, and then there is no source.
    pub(super) fn parse(&mut self, name: &str, bytes: &[u8], syntax: Syntax) -> Option<Source> {
        self.recipe.files.push(name.to_owned());
        let document = match Document::parse(bytes, syntax) {
            Ok(document) => document,
            Err(fault) => {
                self.syntax_fault(name, bytes, syntax, &fault);
                return None;
            }
        };
        for fault in &document.faults {
            self.syntax_fault(name, bytes, syntax, fault);
        }
        for (key, at) in &document.repeated {
            let message = format!("`{}` stands twice in one table, and only the last one counts", printable(key));
            let means = Means::distorts("the trainer's parser keeps the last value without a word");
            self.fault(RecipeFaultKind::Parse, (name, *at), message, means, "remove one of the two").level = Level::Warning;
        }
        let script = match syntax {
            Syntax::Command => Document::commands(bytes).map(|command| command.script).unwrap_or_default(),
            _ => String::new(),
        };
        Some(Source { name: name.to_owned(), document, script })
    }

    fn syntax_fault(&mut self, name: &str, bytes: &[u8], syntax: Syntax, fault: &SyntaxFault) {
        let text = String::from_utf8_lossy(bytes);
        let line = usize::try_from(fault.at.line).ok().and_then(|line| text.lines().nth(line.saturating_sub(1))).unwrap_or_default();
        let has_path = line.contains('\\') && line.contains('"');
        let help = match syntax {
            _ if !fault.fatal => "save the file as UTF-8 without a byte order mark",
            Syntax::Toml | Syntax::Yaml if has_path => "write the path in single quotes or with forward slashes",
            Syntax::Json | Syntax::Jsonc if has_path => "write each backslash twice, or use forward slashes",
            Syntax::Yaml if line.contains('\t') => "indent with blanks, not with tabs",
            Syntax::Toml if line.contains("None") || line.contains("null") => "leave the key out: TOML has no value for nothing",
            Syntax::Toml if line.contains("True") || line.contains("False") => "write true and false in lower case",
            Syntax::Json if line.contains("//") || line.contains('#') => "remove the comment: JSON has none",
            _ => "correct the text at this place",
        };
        let means = Means::stops("the trainer cannot read its configuration and ends");
        self.fault(RecipeFaultKind::Parse, (name, fault.at), fault.message.clone(), means, help);
    }

    /// Opens and parses a file that a configuration names: relative to the folder of the configuration, then as it stands. One that
    /// cannot be opened is a fault at the place that names it.
    pub(super) fn open(&mut self, named: &PathText, syntax: Option<Syntax>) -> Option<Source> {
        let folder = named.file.rfind(['/', '\\']).and_then(|at| named.file.get(..=at)).unwrap_or_default();
        let is_absolute = named.text.starts_with(['/', '\\']) || named.text.get(1..2) == Some(":");
        let beside = if is_absolute { named.text.clone() } else { format!("{folder}{}", named.text) };
        let opened = match (self.load)(&beside) {
            Ok(bytes) => Ok((beside, bytes)),
            Err(error) if beside == named.text => Err(error),
            Err(error) => (self.load)(&named.text).map(|bytes| (named.text.clone(), bytes)).map_err(|_| error),
        };
        match opened {
            Ok((name, bytes)) => {
                let syntax = syntax.or_else(|| Syntax::of_name(&name)).unwrap_or(Syntax::Json);
                self.parse(&name, &bytes, syntax)
            }
            Err(error) => {
                let message = format!("`{}` cannot be opened: {error}", printable(&named.text));
                let means = Means::stops("the trainer does not find the file and ends");
                self.fault(RecipeFaultKind::Unresolved, (&named.file, named.at), message, means, "correct the path, or put the file there");
                None
            }
        }
    }

    /// Whether a path is that of a folder, as far as opening it tells.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        (self.load)(path).is_err_and(|error| error.kind() == io::ErrorKind::IsADirectory)
    }

    /// A path that is text; what is wrong with it is reported, and an empty one is not handed on.
    pub(super) fn path(&mut self, file: &str, key: &str, node: &Node) -> Option<PathText> {
        let text = node.text()?;
        if text.trim().is_empty() {
            let message = format!("`{key}` is empty, which names no folder");
            let means = Means::distorts("the trainer takes the folder it was started in, or its own, and reads whatever lies there");
            self.fault(
                RecipeFaultKind::EmptyPath,
                (file, node.at),
                message,
                means,
                format!("name a folder at `{key}`, or leave the key out"),
            );
            return None;
        }
        if text.chars().any(char::is_control) {
            let message = format!("`{key}` holds control characters: it was read as `{}`", printable(text));
            let means = Means::stops("a backslash and the letter behind it became one character, so that the path leads nowhere");
            let help = format!("write it in single quotes or with forward slashes: '{}'", respelt(text));
            self.fault(RecipeFaultKind::ControlCharacters, (file, node.at), message, means, help);
        }
        Some(PathText { text: text.to_owned(), file: file.to_owned(), at: node.at })
    }

    /// The path at a key, if it is there.
    pub(super) fn path_at(&mut self, file: &str, table: &Node, key: &str) -> Option<PathText> {
        let node = table.get(key)?;
        self.path(file, key, node)
    }

    /// Reports a key that must be there and is not.
    pub(super) fn missing(&mut self, file: &str, at: Place, message: impl Into<String>, what: &str, help: &str) -> &mut RecipeFault {
        self.fault(RecipeFaultKind::MissingKey, (file, at), message, Means::stops(what), help)
    }

    /// Adds a dataset.
    pub(super) fn dataset(&mut self, dataset: DatasetRecipe) {
        self.recipe.datasets.push(dataset);
    }
}

/// The path with the backslashes it was written with.
fn respelt(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{7}' => out.push_str("\\a"),
            '\u{b}' => out.push_str("\\v"),
            '\0' => out.push_str("\\0"),
            other => out.push(other),
        }
    }
    out
}

/// Tables in which a key is looked up, the one that wins first.
pub(super) struct Layers<'a>(pub(super) Vec<(&'a str, &'a Node)>);

impl<'a> Layers<'a> {
    /// The file and the value at a key; `null` counts as not given.
    pub(super) fn get(&self, key: &str) -> Option<(&'a str, &'a Node)> {
        self.0.iter().find_map(|(file, table)| table.get(key).filter(|node| node.value != Value::Null).map(|node| (*file, node)))
    }

    /// Whether a flag is set.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.get(key).is_some_and(|(_, node)| node.is_truthy())
    }

    /// The whole number at a key.
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        self.get(key).and_then(|(_, node)| node.integer())
    }

    /// The settings of these keys, under the name that stands behind the key in the dataset's configuration.
    pub(super) fn settings<'k>(&self, keys: impl IntoIterator<Item = (&'k str, &'k str)>) -> Vec<RecipeSetting> {
        let mut settings: Vec<RecipeSetting> = Vec::new();
        for (key, name) in keys {
            if let Some((file, node)) = self.get(key)
                && !settings.iter().any(|setting| setting.key == name)
                && let Some(value) = node.to_setting()
            {
                settings.push(RecipeSetting { key: name.to_owned(), value, file: file.to_owned(), at: node.at });
            }
        }
        settings
    }
}
