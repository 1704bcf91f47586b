//! `PackBits` (TIFF 6.0, section 9): how many bytes a strip or tile unpacks to, by libtiff's rules (`tif_packbits.c`).

use super::walked::Walked;

/// Unpacks until `wanted` bytes are there. `at` is where the data lies in the file.
pub(super) fn walk(data: &[u8], wanted: u64, at: usize) -> Walked {
    let (mut rest, mut got) = (data, 0_u64);
    while got < wanted {
        let short = || Walked::short(got, wanted, at + data.len(), "the PackBits data ends early");
        let Some((&head, behind)) = rest.split_first() else { return short() };
        let (taken, given) = match head {
            0..=127 => {
                // A run that is longer than what is wanted is cut before its bytes are looked for.
                let run = (u64::from(head) + 1).min(wanted - got);
                (usize::try_from(run).unwrap_or(usize::MAX), run)
            }
            128 => (0, 0),
            129.. => (1, 257 - u64::from(head)),
        };
        let Some(behind) = behind.get(taken..) else { return short() };
        (rest, got) = (behind, got + given);
    }
    Walked::whole()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::tiff::walked::Outcome;

    #[test]
    fn runs_and_literals_are_counted() {
        let data = [0xFE, 7, 1, 1, 2, 128, 0, 9];
        assert_eq!(walk(&data, 6, 0).outcome, Outcome::Taken);
        let short = walk(&data, 8, 10);
        assert_eq!((short.outcome, short.lost), (Outcome::Refused, Some(0.25)));
        assert_eq!(short.fault.and_then(|fault| fault.offset), Some(18));
        assert_eq!(walk(&[5, 1, 2], 2, 0).outcome, Outcome::Taken, "the run is longer than what is wanted");
        assert_eq!(walk(&[5, 1, 2], 3, 0).outcome, Outcome::Refused);
        assert_eq!(walk(&[0xFE], 1, 0).outcome, Outcome::Refused);
    }
}
