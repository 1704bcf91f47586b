//! What training programs expect and do, one file or folder each. Sees `model` only; no I/O.
//!
//! A trainer is asked through [`Trainer`]; what it is called and which states of its source are known is in [`all`]. Besides
//! them there is `generic`: a trainer that loads with Pillow and reads the whole of a `.txt` caption in UTF-8.

mod ai_toolkit;
mod aspect;
mod buckets;
mod consequence;
mod diffusers;
mod diffusion_pipe;
#[cfg(test)]
mod facts;
mod generic;
pub mod kohya;
pub mod musubi;
mod onetrainer;
pub mod order;
mod panel;
mod python;
pub mod random;
mod set;
mod simpletuner;
mod trainer;

use thiserror::Error;

pub use ai_toolkit::cache as ai_toolkit_cache;
pub use buckets::table;
pub use generic::Generic;
pub use panel::{Dataset, Panel, Plan};
pub use set::{SetError, Setting};
pub use simpletuner::cache as simpletuner_cache;
pub use trainer::{About, Batching, Pickup, Remainder, Resolutions, Trainer, Version};

use crate::model::nearest;

/// Makes a trainer at one of its versions, with its own defaults.
type Make = fn(&'static Version) -> Box<dyn Trainer>;

/// Every training program that is known, in the order in which readers know them.
static ALL: [(&About, Make); 7] = [
    (&kohya::ABOUT, kohya::make),
    (&musubi::ABOUT, musubi::make),
    (&ai_toolkit::ABOUT, ai_toolkit::AiToolkit::make),
    (&onetrainer::ABOUT, onetrainer::OneTrainer::make),
    (&simpletuner::ABOUT, simpletuner::SimpleTuner::make),
    (&diffusers::ABOUT, diffusers::Diffusers::make),
    (&diffusion_pipe::ABOUT, diffusion_pipe::DiffusionPipe::make),
];

/// Why there is no such trainer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnknownTrainer {
    /// None has this name.
    #[error("no trainer is called `{name}`{}; known are {}", .nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default(), names())]
    Name {
        /// What was given.
        name: String,
        /// The name that comes closest.
        nearest: Option<&'static str>,
    },
    /// The trainer is known, but not at this version.
    #[error("{trainer} is not known at version `{version}`; known are {}", .known.join(", "))]
    Version {
        /// The trainer.
        trainer: &'static str,
        /// What was given.
        version: String,
        /// The versions that are known, newest first.
        known: Vec<&'static str>,
    },
}

fn names() -> String {
    ALL.iter().map(|(about, _)| about.name).chain(["generic"]).collect::<Vec<_>>().join(", ")
}

/// What is known of every training program, `generic` not counted.
pub fn all() -> impl Iterator<Item = &'static About> {
    ALL.iter().map(|(about, _)| *about)
}

/// Every known trainer at its newest version, with its own defaults.
fn make_all() -> impl Iterator<Item = Box<dyn Trainer>> {
    ALL.iter().filter_map(|(about, make)| about.versions.first().map(make))
}

/// The trainer of this name, at the version that stands behind an `@`, or at the newest known, with its own defaults.
///
/// ```
/// use walkaround::trainers;
/// let trainer = trainers::find("generic").unwrap();
/// assert_eq!(trainer.profile().caption_extension, ".txt");
/// ```
pub fn find(text: &str) -> Result<Box<dyn Trainer>, UnknownTrainer> {
    let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
    if name == "generic" && version.is_none() {
        return Ok(Box::new(Generic::default()));
    }
    let known = ALL.iter().map(|(about, _)| about.name).chain(["generic"]);
    let Some((about, make)) = ALL.iter().find(|(about, _)| about.name == name) else {
        return Err(UnknownTrainer::Name { name: name.to_owned(), nearest: nearest(name, known, 0.7) });
    };
    let version = match version {
        None => about.versions.first(),
        Some(wanted) => about.versions.iter().find(|version| version.name == wanted || version.commit.starts_with(wanted)),
    };
    let unknown = || UnknownTrainer::Version {
        trainer: about.name,
        version: text.split_once('@').map_or_else(String::new, |(_, version)| version.to_owned()),
        known: about.versions.iter().map(|version| version.name).collect(),
    };
    version.map(make).ok_or_else(unknown)
}
