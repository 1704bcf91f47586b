//! Sample datasets of family B, each for the trainer that shows it.

use super::Recipe;
use crate::build::{Folder, rgb_png};

pub(super) fn recipes() -> Vec<Recipe> {
    vec![
        Recipe::for_trainer(
            "bucket-zero-side",
            "kohya",
            &["resolution=512", "enable_bucket=true", "bucket_no_upscale=true"],
            |folder| pictures(folder, &[(600, 63), (512, 512)]),
            |folder| pictures(folder, &[(600, 64), (512, 512)]),
        ),
        Recipe::for_trainer(
            "bucket-large-area",
            "simpletuner",
            &["resolution_type=pixel", "resolution=256", "train_batch_size=1"],
            |folder| pictures(folder, &[(64, 640), (256, 256)]),
            |folder| pictures(folder, &[(256, 384), (256, 256)]),
        ),
        Recipe::for_trainer(
            "bucket-underfilled",
            "simpletuner",
            &["resolution=256", "resolution_type=pixel", "train_batch_size=2"],
            |folder| pictures(folder, &[(256, 256), (256, 256), (256, 320)]),
            |folder| pictures(folder, &[(256, 256), (256, 256), (256, 320), (256, 320)]),
        ),
        Recipe::for_trainer(
            "bucket-all-dropped",
            "onetrainer",
            &["resolution=256", "batch_size=2"],
            |folder| pictures(folder, &[(256, 256), (256, 256), (128, 512)]),
            |folder| pictures(folder, &[(256, 256), (256, 256), (128, 512), (128, 512)]),
        ),
        Recipe::for_trainer(
            "bucket-upscaled",
            "onetrainer",
            &["resolution=512"],
            |folder| pictures(folder, &[(320, 320)]),
            |folder| pictures(folder, &[(352, 352)]),
        ),
        Recipe::for_trainer(
            "bucket-heavy-crop",
            "kohya",
            &["resolution=256", "enable_bucket=false", "cache_latents=true"],
            |folder| pictures(folder, &[(256, 344)]),
            |folder| pictures(folder, &[(256, 340)]),
        ),
    ]
}

/// Pictures of these sizes, each with a caption of its own.
fn pictures(folder: &Folder, sizes: &[(u32, u32)]) {
    for (number, &(width, height)) in sizes.iter().enumerate() {
        let seed = u32::try_from(number).expect("there are few") + 1;
        folder.write(&format!("{number}.png"), rgb_png(seed, width, height));
        folder.write(&format!("{number}.txt"), format!("picture number {number}\n"));
    }
}
