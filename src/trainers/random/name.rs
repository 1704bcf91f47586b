//! The seeds that diffusion-pipe makes of names, by MD5 (RFC 1321). It protects nothing here.

use md5::{Digest as _, Md5};

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
    Md5::digest(bytes).into()
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
