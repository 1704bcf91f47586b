//! A worked dataset for each trainer: a folder, the trainer's own configuration, and what its own code does with each picture.
//!
//! The buckets are what the trainers' code answered when it was run on pictures of these sizes. `UPDATE=1 cargo test` writes
//! `sample_datasets/trainers/` from this; without it the test compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use image::{Rgb, RgbImage};
use serde_json::Value;

use crate::build::{Folder, png};
use crate::generated::current;
use crate::support::walkaround;

/// What a trainer does with one picture.
struct Picture {
    /// Its path.
    path: &'static str,
    /// Width and height.
    size: (u32, u32),
    /// Whether it has a caption.
    has_caption: bool,
    /// Its bucket; `None` if it is not trained on.
    bucket: Option<[u32; 2]>,
}

/// A picture with a caption.
const fn captioned(path: &'static str, size: (u32, u32), bucket: Option<[u32; 2]>) -> Picture {
    Picture { path, size, has_caption: true, bucket }
}

/// A picture without one.
const fn bare(path: &'static str, size: (u32, u32), bucket: Option<[u32; 2]>) -> Picture {
    Picture { path, size, has_caption: false, bucket }
}

/// A dataset with its configuration.
struct Worked {
    trainer: &'static str,
    /// The configuration that is named, and files that it refers to.
    files: &'static [(&'static str, &'static str)],
    pictures: &'static [Picture],
}

const WORKED: [Worked; 7] = [
    Worked {
        trainer: "kohya",
        files: &[(
            "dataset.toml",
            "# sd-scripts: --dataset_config dataset.toml\n[general]\nenable_bucket = true\ncaption_extension = '.txt'\n\n[[datasets]]\n\
             resolution = 512\nbatch_size = 2\n\n  [[datasets.subsets]]\n  image_dir = 'images'\n  num_repeats = 2\n",
        )],
        pictures: &[
            captioned("images/landscape.png", (640, 480), Some([576, 448])),
            captioned("images/portrait.PNG", (832, 1216), Some([384, 640])),
            bare("images/square.png", (512, 512), Some([512, 512])),
            captioned("images/mixed.Png", (512, 512), None),
            captioned("images/deeper/inner.png", (512, 512), None),
        ],
    },
    Worked {
        trainer: "musubi",
        files: &[(
            "dataset.toml",
            "# musubi-tuner: --dataset_config dataset.toml\n[general]\nresolution = [960, 544]\ncaption_extension = \".txt\"\nbatch_size = 1\n\
             enable_bucket = true\n\n[[datasets]]\nimage_directory = \"images\"\ncache_directory = \"cache\"\n",
        )],
        pictures: &[
            captioned("images/landscape.png", (640, 480), Some([832, 624])),
            captioned("images/wide.png", (1920, 1080), Some([960, 544])),
            bare("images/uncaptioned.png", (640, 480), None),
        ],
    },
    Worked {
        trainer: "ai-toolkit",
        files: &[(
            "config.yaml",
            "job: extension\nconfig:\n  name: \"worked\"\n  process:\n    - type: \"sd_trainer\"\n      datasets:\n        - folder_path: \"images\"\n\
             \x20         caption_ext: \"txt\"\n          resolution: [512]  # one is enough\n      train:\n        batch_size: 1\n      model:\n\
             \x20       arch: \"flux2\"\n        name_or_path: \"black-forest-labs/FLUX.2-dev\"\n",
        )],
        pictures: &[
            captioned("images/landscape.png", (640, 480), Some([576, 448])),
            captioned("images/strip.png", (100, 3000), Some([80, 2816])),
            bare("images/deeper/inner.JPEG.png", (640, 480), Some([576, 448])),
            captioned("images/scan.bmp.gif", (640, 480), None),
        ],
    },
    Worked {
        trainer: "onetrainer",
        files: &[
            (
                "config.json",
                "{\n  \"model_type\": \"STABLE_DIFFUSION_XL_10_BASE\",\n  \"concept_file_name\": \"concepts.json\",\n  \"resolution\": \"512\",\n\
                 \x20 \"batch_size\": 1,\n  \"aspect_ratio_bucketing\": true,\n  \"clear_cache_before_training\": false\n}\n",
            ),
            (
                "concepts.json",
                "[\n  {\"name\": \"worked\", \"path\": \"images\", \"enabled\": true, \"include_subdirectories\": false}\n]\n",
            ),
        ],
        pictures: &[
            captioned("images/nearly_square.png", (639, 641), Some([512, 512])),
            captioned("images/small.png", (256, 320), Some([448, 576])),
            captioned("images/wide.png", (1920, 1080), Some([704, 384])),
            captioned("images/deeper/inner.png", (256, 320), None),
            captioned("images/cat-masklabel.png", (256, 320), None),
        ],
    },
    Worked {
        trainer: "simpletuner",
        files: &[(
            "multidatabackend.json",
            "[\n  {\n    \"id\": \"worked\",\n    \"type\": \"local\",\n    \"instance_data_dir\": \"images\",\n    \"caption_strategy\": \"textfile\",\n\
             \x20   \"resolution\": 512,\n    \"resolution_type\": \"pixel_area\",\n    \"crop\": false,\n    \"train_batch_size\": 1\n  }\n]\n",
        )],
        pictures: &[
            captioned("images/small.png", (256, 256), Some([512, 512])),
            captioned("images/portrait.png", (832, 1216), Some([448, 640])),
            captioned("images/deeper/inner.png", (256, 256), Some([512, 512])),
        ],
    },
    Worked {
        trainer: "diffusers",
        files: &[(
            "run.sh",
            "accelerate launch train_dreambooth_lora_flux2.py \\\n  --instance_data_dir=images \\\n  --instance_prompt=\"a photo of sks dog\" \\\n\
             \x20 --resolution=512 \\\n  --use_aspect_ratio_buckets \\\n  --train_batch_size=1\n",
        )],
        pictures: &[bare("images/small.png", (256, 256), Some([256, 256])), bare("images/wide.png", (1366, 768), Some([688, 384]))],
    },
    Worked {
        trainer: "diffusion-pipe",
        files: &[(
            "dataset.toml",
            "# diffusion-pipe: dataset = 'dataset.toml'\nresolutions = [512]\nenable_ar_bucket = true\n\
             ar_buckets = [0.5, 0.63, 0.794, 1.0, 1.26, 1.587, 2.0]\nframe_buckets = [1]\n\n[[directory]]\npath = 'images'\nnum_repeats = 1\n",
        )],
        pictures: &[
            captioned("images/landscape.png", (640, 480), Some([576, 464])),
            captioned("images/portrait.png", (832, 1216), Some([400, 640])),
            bare("images/uncaptioned.png", (640, 480), None),
        ],
    },
];

/// A picture of two colours, which packs well and is not blank.
fn two_colors(width: u32, height: u32) -> Vec<u8> {
    png(&RgbImage::from_fn(width, height, |x, y| if x / 16 + y / 16 < 12 { Rgb([200, 60, 40]) } else { Rgb([30, 60, 120]) }).into())
}

fn build(worked: &Worked, root: &Path) {
    let folder = Folder::at(root);
    for (name, text) in worked.files {
        folder.write(name, *text);
    }
    for Picture { path, size: (width, height), has_caption, .. } in worked.pictures {
        folder.write(path, two_colors(*width, *height));
        if *has_caption {
            let (stem, _) = path.rsplit_once('.').expect("a picture has an extension");
            folder.write(&format!("{stem}.txt"), format!("{stem} as it is"));
        }
    }
}

#[test]
fn each_picture_goes_where_the_trainers_own_code_puts_it() {
    for worked in &WORKED {
        let root = tempfile::tempdir().expect("there is room for a test folder");
        build(worked, root.path());
        let (config, _) = worked.files[0];
        let output = walkaround(root.path(), &["manifest", "--config", config]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {said}", worked.trainer);
        let mut seen = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line).expect("a line is JSON");
            if line["record"] == "sample" {
                let bucket = line["placements"][worked.trainer]["bucket"].clone();
                seen.insert(format!("images/{}", line["path"].as_str().expect("a sample has a path")), bucket);
            }
        }
        let wanted: BTreeMap<String, Value> = worked
            .pictures
            .iter()
            .map(|picture| (picture.path.to_owned(), picture.bucket.map_or(Value::Null, |sides| sides.to_vec().into())))
            .collect();
        assert_eq!(seen, wanted, "{}: {said}", worked.trainer);
    }
}

#[test]
fn the_committed_ones_are_current() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_datasets/trainers");
    let mut stale = Vec::new();
    for worked in &WORKED {
        let root = tempfile::tempdir().expect("there is room for a test folder");
        build(worked, root.path());
        for file in walkdir::WalkDir::new(root.path()).sort_by_file_name() {
            let file = file.expect("a folder can be listed");
            if file.file_type().is_file() {
                let inside = file.path().strip_prefix(root.path()).expect("it lies in the folder");
                let bytes = fs::read(file.path()).expect("the file was just written");
                stale.extend(current(&kept.join(worked.trainer).join(inside), &bytes).err());
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}
