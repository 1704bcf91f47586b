//! UTF-8 that was read as Windows-1252 (or Latin-1) once and written again: `Ã¤` where `ä` was meant.
//!
//! Every place is undone: characters of Windows-1252 back to bytes, bytes read as UTF-8. That alone is not proof. Correct
//! French has `voilà »` with a no-break space, whose bytes E0 A0 BB are a valid character; correct German has `Groß“`; correct
//! Portuguese has capitals in quotes, `MAÇÃ”`. So a place also has to mean a character that is likely, and to look unlike
//! letters followed by punctuation.

use crate::model::Mojibake;

/// Characters of Windows-1252 at 0x80 to 0x9f; NUL stands for the five that are not assigned.
const UPPER: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“', '”', '•', '–', '—', '˜', '™',
    'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// One place that can be undone.
struct Place {
    /// Offset in bytes of the text.
    start: usize,
    end: usize,
    meant: char,
    /// Whether the first character behind the lead is one that commonly stands behind a letter.
    looks_like_punctuation: bool,
    /// The characters around it.
    before: Option<char>,
    behind: Option<char>,
}

/// The first place where the text is in the wrong encoding twice, and how many there are.
pub(super) fn find(text: &str) -> Option<Mojibake> {
    if text.is_ascii() {
        return None;
    }
    let places = places(text);
    let mut found: Option<(usize, usize, String, u64)> = None;
    for (at, place) in places.iter().enumerate() {
        let touches = |other: Option<&Place>, is_before: bool| {
            other.is_some_and(|other| if is_before { other.end == place.start } else { place.end == other.start })
        };
        let follows = touches(at.checked_sub(1).and_then(|at| places.get(at)), true);
        let has_neighbour = follows || touches(places.get(at + 1), false);
        if !is_likely(place, has_neighbour) {
            continue;
        }
        match &mut found {
            None => found = Some((place.start, place.end, place.meant.into(), 1)),
            Some((_, end, meant, count)) => {
                // A word is shown whole: the places behind the first without a gap belong to it.
                if *end == place.start {
                    *end = place.end;
                    meant.push(place.meant);
                }
                *count += 1;
            }
        }
    }
    let (start, end, meant, count) = found?;
    Some(Mojibake { seen: text.get(start..end)?.to_owned(), meant, count })
}

/// Every run of characters whose bytes in Windows-1252 are one character in UTF-8.
fn places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut before = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let mut characters = rest.chars();
        let Some(first) = characters.next() else { break };
        if let Some((meant, chars)) = undo(rest) {
            let end = at + rest.chars().take(chars).map(char::len_utf8).sum::<usize>();
            places.push(Place {
                start: at,
                end,
                meant,
                looks_like_punctuation: characters.next().is_some_and(is_common_behind_letters),
                before,
                behind: text.get(end..).and_then(|rest| rest.chars().next()),
            });
            before = None;
            at = end;
        } else {
            before = Some(first);
            at += first.len_utf8();
        }
    }
    places
}

/// The character that the text begins with when read back, and how many characters of the text it takes.
fn undo(text: &str) -> Option<(char, usize)> {
    let mut bytes = [0; 4];
    let mut characters = text.chars();
    let lead = windows_1252_byte(characters.next()?)?;
    let length = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let bytes = bytes.get_mut(..length)?;
    let (first, rest) = bytes.split_first_mut()?;
    *first = lead;
    for byte in rest {
        *byte = characters.next().and_then(windows_1252_byte)?;
    }
    Some((std::str::from_utf8(bytes).ok()?.chars().next()?, length))
}

/// The byte of a character that is not ASCII in Windows-1252, or in Latin-1 for the control characters.
fn windows_1252_byte(character: char) -> Option<u8> {
    match u32::from(character) {
        0..=0x7f => None,
        code @ 0x80..=0xff => u8::try_from(code).ok(),
        _ => UPPER.iter().position(|&upper| upper == character).and_then(|at| u8::try_from(at + 0x80).ok()),
    }
}

/// Whether the place means a likely character and does not look like correct text.
fn is_likely(place: &Place, has_neighbour: bool) -> bool {
    let is_inside_word = place.behind.is_some_and(char::is_lowercase) || place.before.is_some_and(char::is_lowercase);
    match u32::from(place.meant) {
        // Â and Ã before a symbol: accented letters and signs of western Europe. Behind a capital or an opening quote, a symbol
        // that is punctuation is just that.
        0xa0..=0xff => {
            !place.looks_like_punctuation
                || !place.before.is_some_and(|before| before.is_uppercase() || matches!(before, '“' | '‘' | '„' | '«' | '"' | '\''))
        }
        // Ä and Å before a symbol: letters of central Europe.
        0x100..=0x17f => !place.looks_like_punctuation || is_inside_word || has_neighbour,
        // Greek, Cyrillic, Hebrew, Arabic, Devanagari to Thai: words have more than one letter.
        0x370..=0x4ff | 0x5d0..=0x5ea | 0x600..=0x6ff | 0x900..=0xe7f => has_neighbour,
        // Quotes, dashes, the euro, the trade mark, arrows, signs, emoji, a byte order mark: `â€™`. The no-break spaces of French
        // are not among them.
        0x2010..=0x2044 | 0x20a0..=0x20bf | 0x2100..=0x27bf | 0xfeff | 0x1f000..=0x1faff => true,
        // Kana, Chinese, Hangul, wide forms: one alone may be a letter with a space and a quote behind it.
        0x3000..=0x30ff | 0x4e00..=0x9fff | 0xac00..=0xd7a3 | 0xff01..=0xffee => has_neighbour || !place.looks_like_punctuation,
        _ => false,
    }
}

/// Characters of Windows-1252 above ASCII that follow a letter in correct text.
fn is_common_behind_letters(character: char) -> bool {
    matches!(character, '\u{a0}' | '«' | '»' | '‹' | '›' | '‘' | '’' | '“' | '”' | '…' | '–' | '—' | '™' | '®' | '°' | '²' | '³' | '·')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UTF-8 read as Windows-1252.
    fn garble(text: &str) -> String {
        text.bytes()
            .map(|byte| UPPER.get(usize::from(byte).wrapping_sub(0x80)).filter(|&&c| c != '\0').map_or(char::from(byte), |&c| c))
            .collect()
    }

    #[test]
    fn garbled_text_of_many_languages_is_found() {
        for text in [
            "schöne Wiese",
            "un café",
            "à la plage",
            "coût",
            "CAFÉ",
            "Ölgemälde",
            "30°",
            "\u{feff}a cat",
            "the woman’s dress",
            "a – b",
            "100 €",
            "кошка",
            "γάτα",
            "zażółć gęślą",
            "猫",
            "一只猫",
            "白い猫",
            "고양이",
            "😀",
            "✨ sparkle",
            "naïve façade",
            "Ångström",
            "El Niño",
            "São Paulo",
        ] {
            let found = find(&garble(text));
            assert!(found.is_some(), "{text}: {}", garble(text));
        }
    }

    #[test]
    fn the_first_place_is_shown_with_what_was_meant() {
        let found = find("a wide shot, schÃ¶ne Wiese, the womanâ€™s dress").expect("it is garbled");
        assert_eq!((found.seen.as_str(), found.meant.as_str(), found.count), ("Ã¶", "ö", 2));
        let word = find(&garble("кошка")).expect("it is garbled");
        assert_eq!((word.meant.as_str(), word.count), ("кошка", 5));
    }

    #[test]
    fn correct_text_is_left_alone() {
        for text in [
            "et voilà\u{a0}», dit-elle",
            "« un café\u{a0}»",
            "déjà-vu… été…",
            "«\u{a0}voilà\u{a0}!\u{a0}»",
            "„Groß“ und „Süß“",
            "SÃO PAULO, MAÇÃ, PÃO, Ã",
            "“MAÇÃ” e “PÃO”",
            "the letter “Ã” and “É”",
            "CAFÉ™ and CAFÉ® and CAFÉ…",
            "ÅÄÖ åäö, Å…",
            "ESPAÑA «MAÑÑ» Ñ”",
            "naïve façade, 30°C, 5 µm, © 2024, £5, ½",
            "10×10 × 5",
            "Ça va ? Où ? Élan, À bientôt",
            "一只猫, 白色背景",
            "кошка «кот» — да",
            "œuvre, Œuvre, Ÿ, Ž",
            "Île d’Yeu, ÎLE",
            "Þórður æfði, ð",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
