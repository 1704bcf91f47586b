//! A trainer that loads with Pillow and reads `.txt` captions: what most trainers have in common.

use crate::model::{Profile, Size};

/// The profile without any settings of the user.
///
/// The extensions are those that sd-scripts (48d368fa, `library/train_util.py` 101-128), ai-toolkit, `OneTrainer` and
/// diffusers all pick up.
#[must_use]
pub fn generic() -> Profile {
    Profile {
        trainer: "generic",
        caption_extension: ".txt".to_owned(),
        image_extensions: ["png", "jpg", "jpeg", "webp", "bmp"].map(str::to_owned).to_vec(),
        resolution: Size::new(1024, 1024),
        bucket_step: 64,
        max_tokens: 75,
        max_aspect: 8.0,
    }
}
