//! Sample datasets of family I.

use super::Recipe;
use crate::build::rgb_png;

pub(super) fn recipes() -> Vec<Recipe> {
    vec![Recipe::new(
        "truncated-image",
        |folder| {
            let whole = rgb_png(1, 96, 96);
            folder.pair("cut.png", &whole[..whole.len() * 2 / 5]).pair("whole.png", rgb_png(2, 96, 96));
        },
        |folder| {
            // Only IEND is missing: Pillow loads that.
            let whole = rgb_png(1, 96, 96);
            folder.pair("no_iend.png", &whole[..whole.len() - 12]).pair("whole.png", rgb_png(2, 96, 96));
        },
    )]
}
