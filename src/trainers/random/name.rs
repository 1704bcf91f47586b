//! MD5 (RFC 1321), for the seeds that diffusion-pipe makes of names. It protects nothing here.

const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// `int(hashlib.md5(text).hexdigest(), 16) % 1_000_000_000` (diffusion-pipe 8f83dbf2, `utils/dataset.py`, `seed_from_hash`).
///
/// ```
/// assert_eq!(walkaround::trainers::random::seed_of_name("/data/cats"), 918_455_934);
/// ```
#[must_use]
pub fn seed_of_name(text: &str) -> u64 {
    md5(text.as_bytes()).iter().fold(0, |sum, &byte| (sum * 256 + u64::from(byte)) % 1_000_000_000)
}

fn md5(bytes: &[u8]) -> [u8; 16] {
    let bits = u64::try_from(bytes.len()).unwrap_or(u64::MAX).wrapping_mul(8);
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - bytes.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded.truncate(end);
    padded.extend(bits.to_le_bytes());

    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |sum, &byte| (sum << 8) | u32::from(byte));
        }
        let [mut a, mut b, mut c, mut d] = state;
        for (round, number) in (0..64usize).zip(1u32..) {
            let (mixed, word) = match round / 16 {
                0 => ((b & c) | (!b & d), round),
                1 => ((d & b) | (!d & c), (5 * round + 1) % 16),
                2 => (b ^ c ^ d, (3 * round + 5) % 16),
                _ => (c ^ (b | !d), (7 * round) % 16),
            };
            let sum = a.wrapping_add(mixed).wrapping_add(sine(number)).wrapping_add(words[word]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(TURNS[round / 16][round % 4]));
        }
        for (word, own) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(own);
        }
    }
    let mut digest = [0; 16];
    for (to, from) in digest.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&from.to_le_bytes());
    }
    digest
}

/// The whole part of 2^32 times the sine of a number of radians.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sine's absolute value is at most 1, so it fits")]
fn sine(number: u32) -> u32 {
    (f64::from(number).sin().abs() * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_rfc() {
        let hex = |text: &str| format!("{:032x}", u128::from_be_bytes(md5(text.as_bytes())));
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        let digits = "1234567890".repeat(8);
        assert_eq!(hex(&digits), "57edf4a22be3c955ac49da2e2107b67a");
        // Lengths around the padding's edge.
        for (length, digest) in [
            (55, "ef1772b6dff9a122358552954ad0df65"),
            (56, "3b0c8ac703f828b04c6c197006d17218"),
            (63, "b06521f39153d618550606be297466d5"),
            (64, "014842d480b571495a4a0363793f7367"),
        ] {
            assert_eq!(hex(&"a".repeat(length)), digest);
        }
    }

    #[test]
    fn names_make_seeds() {
        assert_eq!(seed_of_name("/data/cats"), 918_455_934);
    }
}
