//! Names of cache files.

use walkaround::model::{Placement, RelPath, Size};
use walkaround::trainers::{ai_toolkit_cache, simpletuner_cache};

use super::rows;

const FILE: &str = "cache_name_vectors.csv";

/// What stands in the column of inputs is for readers, so each is written out here once more, in the order of the rows.
#[test]
fn cache_files_are_named_as_trainers_name_them() {
    let Some(rows) = rows(FILE) else { return };
    let latent = |name: &str, placement: Placement, space: &str, flip_x: bool| {
        ai_toolkit_cache::latent(&RelPath::from(name), &ai_toolkit_cache::Latent { placement, space, flip_x, flip_y: false })
    };
    let wide = Placement { bucket: Size::new(1360, 768), resized: Size::new(1366, 768), crop: [3, 0] };
    let square = Placement { bucket: Size::new(512, 512), resized: Size::new(512, 512), crop: [0, 0] };
    let names = [
        latent("photo.jpg", wide, "flux1", false),
        latent("photo.jpg", wide, "flux1", true),
        latent("été.png", square, "qwen_image", false),
        ai_toolkit_cache::text_embedding(&RelPath::from("photo.jpg"), "a cat,  sitting", "flux1"),
        simpletuner_cache::latent(&RelPath::from("photo.png")),
        RelPath::from(&*simpletuner_cache::text_embedding("a cat, sitting", "flux")),
    ];
    let right = rows.iter().zip(&names).filter(|(row, name)| name.name() == row["file_name"]).count();
    println!("{FILE}: {right} of {}", rows.len());
    assert_eq!((right, names.len()), (rows.len(), rows.len()));
}
