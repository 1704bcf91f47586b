//! Folders of `--train_data_dir`: `10_cat` holds pictures that are taken ten times, with `cat` where there is no caption
//! (sd-scripts 48d368fa, `library/config_util.py` 606-650).

use crate::model::Inventory;

/// What the dataset's folder is to the trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// An `image_dir`: the pictures lie directly in it.
    Flat,
    /// A `train_data_dir`: the pictures lie in subfolders whose names begin with their repeats.
    Folders,
}

impl Layout {
    /// What the folder must be, by what lies in it. Several roots are of one kind.
    pub(super) fn of(inventory: &Inventory) -> Self {
        let paths = inventory.folders.iter().map(|folder| &folder.path);
        let subfolders = paths.filter_map(|path| first_folder(inventory.inside(path)));
        if subfolders.into_iter().any(|name| FolderName::parse(name).is_some()) { Self::Folders } else { Self::Flat }
    }
}

fn first_folder(folder: &str) -> Option<&str> {
    folder.split('/').next().filter(|name| !name.is_empty())
}

/// What the name of a subfolder says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FolderName<'a> {
    /// How often its pictures are taken; a folder with less than 1 is passed over without a word.
    pub(super) repeats: f64,
    /// The caption of pictures that have none.
    pub(super) class_tokens: &'a str,
}

impl<'a> FolderName<'a> {
    /// Reads a name; `None` for one that does not begin with a number.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let (number, class_tokens) = name.split_once('_').unwrap_or((name, ""));
        Some(Self { repeats: python_int(number)?, class_tokens })
    }
}

/// Digits that Python's `int` takes before it refuses (`sys.int_info.default_max_str_digits`).
const MOST_DIGITS: usize = 4300;

/// Python's `int(text)`: white space around it, a sign, and decimal digits of any script. Underscores between digits cannot occur
/// here.
fn python_int(text: &str) -> Option<f64> {
    let text = text.trim_matches(|character: char| character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character));
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || digits.chars().take(MOST_DIGITS + 1).count() > MOST_DIGITS {
        return None;
    }
    digits.chars().try_fold(0.0, |number, character| Some(number * 10.0 + f64::from(digit(character)?))).map(|number| sign * number)
}

/// The value of a decimal digit of any script: general category Nd of Unicode, of which ten follow each other.
fn digit(character: char) -> Option<u32> {
    let code = u32::from(character);
    let at = ZEROS.partition_point(|&zero| zero <= code);
    let zero = ZEROS.get(at.checked_sub(1)?)?;
    Some(code - zero).filter(|&value| value < 10)
}

/// The digit zero of each script (Unicode 14).
const ZEROS: [u32; 66] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0,
    0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730,
    0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0,
    0x1E950, 0x1FBF0,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Folder, RelPath, Root};

    fn inventory(prefixes: &[&str], folders: &[&str]) -> Inventory {
        let root = |prefix: &&str| Root { typed: String::new(), folder: "set".into(), prefix: RelPath::from(*prefix) };
        let folder = |path: &&str| Folder { path: RelPath::from(*path), images: 1 };
        Inventory { roots: prefixes.iter().map(root).collect(), folders: folders.iter().map(folder).collect(), ..Inventory::default() }
    }

    // What `extract_dreambooth_params` of sd-scripts 48d368fa answered when it was run.
    #[test]
    fn the_name_gives_repeats_and_class_tokens() {
        for (name, repeats, class_tokens) in [
            ("10_a b", 10.0, "a b"),
            ("12_a_b_c", 12.0, "a_b_c"),
            ("007_bond", 7.0, "bond"),
            ("5", 5.0, ""),
            ("1_", 1.0, ""),
            ("+4_p", 4.0, "p"),
            (" 6_sp", 6.0, "sp"),
            ("１０_wide", 10.0, "wide"),
            ("0_none", 0.0, "none"),
            ("-3_less", -3.0, "less"),
            ("٣_arabic", 3.0, "arabic"),
        ] {
            assert_eq!(FolderName::parse(name), Some(FolderName { repeats, class_tokens }), "{name}");
        }
        for name in ["1.5_z", "x_10", "2e1_q", ".x", "", "_", "+_a", "- 4_a", "--4_a", "²_a", "Ⅷ_a"] {
            assert_eq!(FolderName::parse(name), None, "{name}");
        }
        assert_eq!(FolderName::parse(&"9".repeat(5000)), None);
    }

    #[test]
    fn a_numbered_subfolder_makes_it_a_train_data_dir() {
        assert_eq!(Layout::of(&inventory(&[""], &["", "10_cat"])), Layout::Folders);
        assert_eq!(Layout::of(&inventory(&[""], &["", "cats", "cats/10_cat"])), Layout::Flat);
        assert_eq!(Layout::of(&inventory(&["10_a", "10_b"], &["10_a", "10_b"])), Layout::Flat);
        assert_eq!(Layout::of(&inventory(&["a", "a/b"], &["a/b/3_cat"])), Layout::Folders);
    }
}
