//! Lines, line ends, and characters that nobody sees or that do not belong into a caption.

use std::collections::BTreeMap;

use crate::model::{LineEnding, SuspectCharacter};

/// The lines of a text.
#[derive(Debug, PartialEq)]
pub(super) struct Lines {
    /// Lines that hold more than white space.
    pub(super) filled: u64,
    /// How lines end.
    pub(super) ending: LineEnding,
}

/// Counts lines the way Python's universal newlines cut them: at `\n`, `\r\n` and `\r`.
pub(super) fn lines(text: &str) -> Lines {
    let (mut line_feeds, mut returns, mut pairs) = (0_u64, 0_u64, 0_u64);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.next_if_eq(&b'\n').is_some() => pairs += 1,
            b'\r' => returns += 1,
            b'\n' => line_feeds += 1,
            _ => {}
        }
    }
    let ending = match (line_feeds > 0, pairs > 0, returns > 0) {
        (false, false, false) => LineEnding::None,
        (true, false, false) => LineEnding::Lf,
        (false, true, false) => LineEnding::CrLf,
        (false, false, true) => LineEnding::Cr,
        _ => LineEnding::Mixed,
    };
    Lines { filled: text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).count() as u64, ending }
}

/// NUL and other control characters but for line ends and tabs, by character.
pub(super) fn controls(text: &str) -> Vec<SuspectCharacter> {
    collect(text, |character, _, _| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
}

/// Zero-width, bidirectional and non-breaking characters, by character, but for those that a script or an emoji needs.
pub(super) fn invisibles(text: &str) -> Vec<SuspectCharacter> {
    collect(text, |character, before, behind| match character {
        // No-break spaces, soft hyphen, Mongolian vowel separator, zero-width space, word joiner and the like, and a byte
        // order mark that is not the first character.
        '\u{a0}' | '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{202f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        // Marks and overrides of direction, and separators of lines and paragraphs.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // Joiners shape letters of the scripts that join, and make one emoji of several (UTS #51, section 2.3).
        '\u{200c}' | '\u{200d}' => {
            let is_between_letters = before.is_some_and(is_joining_script) && behind.is_none_or(|next| !next.is_ascii_alphanumeric());
            let is_in_emoji = character == '\u{200d}' && before.is_some_and(is_emoji_part) && behind.is_some_and(is_emoji_part);
            !is_between_letters && !is_in_emoji
        }
        // Tag characters make the flags of England, Scotland and Wales behind a black flag; elsewhere they hide text.
        '\u{e0001}'..='\u{e007f}' => !before.is_some_and(|before| before == '\u{1f3f4}' || ('\u{e0020}'..='\u{e007f}').contains(&before)),
        _ => false,
    })
}

/// Every character for which `is_suspect` holds, given its neighbours; sorted by character.
fn collect(text: &str, is_suspect: impl Fn(char, Option<char>, Option<char>) -> bool) -> Vec<SuspectCharacter> {
    let mut found: BTreeMap<char, SuspectCharacter> = BTreeMap::new();
    let mut before = None;
    let mut rest = text.chars().peekable();
    let mut at = 0;
    while let Some(character) = rest.next() {
        if is_suspect(character, before, rest.peek().copied()) {
            found.entry(character).or_insert(SuspectCharacter { character, first: at, count: 0 }).count += 1;
        }
        before = Some(character);
        at += 1;
    }
    found.into_values().collect()
}

/// Scripts in which a joiner changes how letters look: Arabic and Persian, Syriac, the Indic scripts, Tibetan, Khmer, Mongolian.
fn is_joining_script(character: char) -> bool {
    matches!(u32::from(character), 0x0600..=0x08ff | 0x0900..=0x0dff | 0x0f00..=0x109f | 0x1780..=0x18af | 0xa800..=0xabff | 0xfb50..=0xfeff)
}

/// Pictographs, skin tones, variation selectors and the signs that stand behind a joiner.
fn is_emoji_part(character: char) -> bool {
    matches!(u32::from(character), 0x2190..=0x2bff | 0xfe0f | 0x20e3 | 0x1f000..=0x1faff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_told_apart() {
        for (text, filled, ending) in [
            ("a", 1, LineEnding::None),
            ("a\nb\n", 2, LineEnding::Lf),
            ("a\r\n\r\nb", 2, LineEnding::CrLf),
            ("a\rb", 2, LineEnding::Cr),
            ("a\r\nb\nc", 3, LineEnding::Mixed),
            ("a\r\r\nb", 2, LineEnding::Mixed),
            (" \n\t\n", 0, LineEnding::Lf),
        ] {
            assert_eq!(lines(text), Lines { filled, ending }, "{text:?}");
        }
    }

    #[test]
    fn joiners_that_a_script_or_an_emoji_needs_are_left_alone() {
        for text in [
            "👩\u{200d}🚀 in space",
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "flag 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ] {
            assert!(invisibles(text).is_empty(), "{text:?}: {:?}", invisibles(text));
        }
        assert_eq!(invisibles("a\u{200d}b\u{200c}c").len(), 2);
        assert_eq!(invisibles("hidden\u{e0041}").len(), 1);
    }

    #[test]
    fn control_characters_are_counted_from_the_first() {
        let found = controls("a\tb\0c\0\u{85}\r\n");
        assert_eq!(
            found.iter().map(|suspect| (suspect.character, suspect.first, suspect.count)).collect::<Vec<_>>(),
            [('\0', 3, 2), ('\u{85}', 6, 1)]
        );
    }
}
