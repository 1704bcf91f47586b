//! kohya-ss/sd-scripts: training for SD, SDXL, SD3, FLUX and others from folders or a dataset TOML.
//!
//! The rules are those of commit 48d368fa (2026-02-16). `buckets` holds sizes, `folders` the names of folders, `settings` the keys,
//! `react` what happens to files and captions that are not as they should be. Sizes come from `library/train_util.py` 1478-1492.

mod buckets;
mod folders;
mod react;
mod settings;

pub use buckets::{Sides, bucket_list};

use folders::{FolderName, Layout};
use settings::Settings;

use super::set::{SetError, Setting};
use super::trainer::{About, Batching, Pickup, Remainder, Trainer, Version};
use crate::model::{
    Condition, Consequence, ExtensionCase, Format, Inventory, Outcome, Phase, Placement, Profile, RelPath, SampleFacts, Size, Unplaced,
};

pub(super) static ABOUT: About = About { name: "kohya", title: "kohya sd-scripts", versions: &VERSIONS, keys: &settings::KEYS };

static VERSIONS: [Version; 1] = [Version { name: "2026-02-16", commit: "48d368fa557731ad0488c07304dfeba8c07910eb", date: "2026-02-16" }];

/// What is listed, in these letters or all in capitals (`library/train_util.py` 101-128). AVIF and JPEG XL need plug-ins of Pillow
/// that the trainer does not install.
const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "webp", "bmp"];

/// Variants of WebP that begin with a VP8X chunk.
const EXTENDED_WEBP: [&str; 3] = ["extended", "extended lossless", "animated"];

/// sd-scripts with the settings of one dataset.
#[derive(Clone, Debug)]
pub(super) struct Kohya {
    version: &'static Version,
    settings: Settings,
    /// What the folder is; `None` until the settings or the folder say it.
    layout: Option<Layout>,
}

/// The trainer with its own defaults.
pub(super) fn make(version: &'static Version) -> Box<dyn Trainer> {
    Box::new(Kohya { version, settings: Settings::default(), layout: None })
}

impl Kohya {
    /// What the name of the folder that a picture lies in says, where that counts. The path may begin with the prefix of its root.
    fn numbered_folder<'a>(&self, path: &'a RelPath) -> Option<FolderName<'a>> {
        if self.layout == Some(Layout::Flat) {
            return None;
        }
        FolderName::parse(path.folder().rsplit('/').next()?)
    }

    /// Whether the files of its folder are listed, by where it lies.
    fn is_in_place(&self, path: &RelPath) -> Pickup {
        let depth = path.as_str().matches('/').count();
        match (self.layout, depth) {
            (None | Some(Layout::Flat), 0) => {
                if self.settings.repeats > 0.0 {
                    Pickup::Taken
                } else {
                    Pickup::PassedOver("num_repeats is below 1")
                }
            }
            (Some(Layout::Flat), _) => Pickup::PassedOver("it lies in a subfolder, and only the folder itself is listed"),
            (Some(Layout::Folders), 0) => Pickup::PassedOver("it lies beside the numbered subfolders, of which alone files are listed"),
            (None | Some(Layout::Folders), 1) => match self.numbered_folder(path) {
                Some(name) if name.repeats >= 1.0 => Pickup::Taken,
                Some(_) => Pickup::PassedOver("the number at the beginning of its folder's name is below 1"),
                None => Pickup::PassedOver("its folder's name does not begin with a number of repeats, as `10_name` does"),
            },
            (None | Some(Layout::Folders), _) => Pickup::PassedOver("it lies too deep: only the numbered subfolders are listed"),
        }
    }
}

impl Trainer for Kohya {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn version(&self) -> &'static Version {
        self.version
    }

    fn set(&mut self, setting: &Setting<'_>) -> Result<(), SetError> {
        match setting.key {
            "image_dir" => self.layout = Some(Layout::Flat),
            "train_data_dir" | "reg_data_dir" => self.layout = Some(Layout::Folders),
            _ => return self.settings.set(setting),
        }
        Ok(())
    }

    fn profile(&self) -> Profile {
        let settings = &self.settings;
        Profile {
            trainer: ABOUT.name,
            caption_extension: settings.caption_extension.clone(),
            image_extensions: EXTENSIONS.map(str::to_owned).to_vec(),
            resolution: settings.buckets.resolution,
            bucket_step: settings.buckets.sides.step,
            extension_case: ExtensionCase::LowerOrUpper,
            max_tokens: Some(settings.max_tokens),
            max_aspect: 8.0,
        }
    }

    /// `glob_images` (`library/train_util.py` 2847-2856) lists one folder, and Python's glob leaves out names that begin with a dot.
    fn picks_up(&self, path: &RelPath) -> Pickup {
        let extension = path.extension();
        let is_known = EXTENSIONS.iter().any(|known| *known == extension || known.to_ascii_uppercase() == extension);
        if path.name().starts_with('.') {
            Pickup::PassedOver("its name begins with a dot")
        } else if !is_known {
            let in_other_case = EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension));
            let mixed = "its extension is neither all in small letters nor all in capitals";
            Pickup::PassedOver(if in_other_case { mixed } else { "its extension is not listed" })
        } else {
            self.is_in_place(path)
        }
    }

    /// The size that imagesize 1.4.1 reads, which is that of the header but for WebP with a VP8X chunk, whose sides come out one
    /// too small, and for Apple's variant of PNG. EXIF orientation is never applied.
    fn size_of(&self, facts: &SampleFacts) -> Option<Size> {
        let probe = facts.probe.as_ref().ok()?;
        Some(match probe.format {
            Format::WebP if EXTENDED_WEBP.contains(&probe.variant) => {
                Size::new(probe.size.width.saturating_sub(1), probe.size.height.saturating_sub(1))
            }
            // Length and name of the chunk `CgBI` are read as the sides.
            Format::Png if probe.variant == "CgBI" => Size::new(4, u32::from_be_bytes(*b"CgBI")),
            _ => probe.size,
        })
    }

    /// Where latents are not cached, and no buckets are made, nothing is resized: the size must be that of training
    /// (`library/train_util.py` 1630-1647). This counts once the settings say that latents are not cached.
    fn place(&self, size: Size, _: usize) -> Result<Placement, Unplaced> {
        let settings = &self.settings;
        let placement = settings.buckets.place(size)?;
        if !settings.buckets.enabled && settings.cache_latents == Some(false) && size != settings.buckets.resolution {
            let (wanted, is_cropped) = (settings.buckets.resolution, settings.random_crop);
            let (is_larger, is_smaller) =
                (size.width > wanted.width || size.height > wanted.height, size.width < wanted.width || size.height < wanted.height);
            let error = match (is_larger && !is_cropped, is_smaller) {
                (true, _) => "AssertionError: image too large, but cropping and bucketing are disabled",
                (false, true) => "AssertionError: image size is small",
                (false, false) => return Ok(placement),
            };
            return Err(Unplaced { error: error.into(), outcome: Outcome::Stop, phase: Phase::Training });
        }
        Ok(placement)
    }

    fn react(&self, condition: Condition, facts: Option<&SampleFacts>) -> Option<Consequence> {
        Some(react::react(self, condition, facts))
    }

    fn repeats(&self, path: &RelPath) -> f64 {
        self.numbered_folder(path).map_or(self.settings.repeats, |name| name.repeats)
    }

    fn prepared(&self, inventory: &Inventory) -> Option<Box<dyn Trainer>> {
        let layout = Some(Layout::of(inventory));
        self.layout.is_none().then(|| Box::new(Self { layout, ..self.clone() }) as Box<dyn Trainer>)
    }

    /// The last batch of a bucket is a short one (`library/train_util.py` 987-1091).
    fn batching(&self) -> Batching {
        let batch_size = self.settings.batch_size();
        Batching { batch_size, whole: batch_size, accumulation: self.settings.accumulation, remainder: Remainder::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kohya() -> Kohya {
        Kohya { version: &VERSIONS[0], settings: Settings::default(), layout: None }
    }

    fn set(trainer: &mut Kohya, key: &str, value: impl Into<toml::Value>) {
        trainer.set(&Setting::new(key, &value.into())).expect("the setting is valid");
    }

    #[test]
    fn one_folder_is_listed_and_no_hidden_file() {
        let mut trainer = kohya();
        set(&mut trainer, "image_dir", "/data");
        let taken: Vec<_> = ["a.png", "b.PNG", "c.Png", ".d.png", "._e.png", "f.gif", "g/h.png", "i.jpeg", "j", "10_k/l.png"]
            .into_iter()
            .filter(|path| trainer.picks_up(&RelPath::from(*path)) == Pickup::Taken)
            .collect();
        assert_eq!(taken, ["a.png", "b.PNG", "i.jpeg"]);
        set(&mut trainer, "num_repeats", 3);
        assert!((trainer.repeats(&RelPath::from("10_k/l.png")) - 3.0).abs() < f64::EPSILON);
        set(&mut trainer, "num_repeats", 0);
        assert_eq!(trainer.picks_up(&RelPath::from("a.png")), Pickup::PassedOver("num_repeats is below 1"));
    }

    #[test]
    fn of_a_train_data_dir_only_numbered_subfolders_are_listed() {
        let mut trainer = kohya();
        set(&mut trainer, "train_data_dir", "/data");
        let taken: Vec<_> = ["a.png", "10_cat/a.png", "10_cat/sub/a.png", "cat/a.png", "0_cat/a.png", "5/a.png"]
            .into_iter()
            .filter(|path| trainer.picks_up(&RelPath::from(*path)) == Pickup::Taken)
            .collect();
        assert_eq!(taken, ["10_cat/a.png", "5/a.png"]);
        assert!((trainer.repeats(&RelPath::from("10_cat/a.png")) - 10.0).abs() < f64::EPSILON);
    }

    #[test]
    fn without_cached_latents_and_buckets_the_size_must_be_exact() {
        let mut trainer = kohya();
        set(&mut trainer, "resolution", 512);
        assert!(trainer.place(Size::new(640, 480), 0).is_ok());
        set(&mut trainer, "cache_latents", false);
        let error = |trainer: &Kohya, width, height| trainer.place(Size::new(width, height), 0).map_err(|unplaced| unplaced.error);
        assert_eq!(error(&trainer, 640, 480), Err("AssertionError: image too large, but cropping and bucketing are disabled".into()));
        assert_eq!(error(&trainer, 512, 480), Err("AssertionError: image size is small".into()));
        assert!(error(&trainer, 512, 512).is_ok());
        set(&mut trainer, "random_crop", true);
        assert!(error(&trainer, 640, 512).is_ok());
        set(&mut trainer, "cache_latents_to_disk", true);
        assert!(error(&trainer, 100, 100).is_ok());
    }
}
