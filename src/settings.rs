//! What the user asked for, resolved to plain data: the library's only input.
//!
//! Arguments and `walkaround.toml` are turned into this by `cli`; nothing here reads a file or knows a flag.

mod baseline;
mod rules;

use std::num::NonZeroUsize;

pub use baseline::{Baseline, BaselineError, Known, Subject};
pub use rules::{PathIgnore, Rules, Selector, UnknownSelector};

use crate::cache::Cache;
use crate::captions::Tokenizers;
use crate::decode::Limits;
use crate::model::{Profile, RecipeFault};
use crate::trainers::{Generic, Plan, Trainer};
use crate::walk::{Input, WalkOptions};
use crate::witness::WitnessOptions;

/// One run, as asked for.
#[derive(Debug)]
pub struct Settings {
    /// What to look at.
    pub inputs: Vec<Input>,
    /// How to walk.
    pub walk: WalkOptions,
    /// What the trainer expects.
    pub profile: Profile,
    /// Trainers that are asked what they do with the samples.
    pub plan: Plan,
    /// What one image may cost.
    pub limits: Limits,
    /// Worker threads.
    pub threads: NonZeroUsize,
    /// Bytes of file content and decoded data that all workers together may hold.
    pub memory_bytes: u64,
    /// Whether SHA-256 is computed beside BLAKE3.
    pub sha256: bool,
    /// Whether the manifest holds the captions' text.
    pub caption_text: bool,
    /// Where facts of earlier runs are looked up and new ones kept, if anywhere.
    pub cache: Option<Cache>,
    /// Tokenizers for the length of captions.
    pub tokenizers: Tokenizers,
    /// The trainer's own libraries, if they are to be asked.
    pub witness: Option<WitnessOptions>,
    /// What is wrong with the trainer's own configuration.
    pub faults: Vec<RecipeFault>,
    /// Which findings are wanted, and at which level.
    pub rules: Rules,
}

impl Settings {
    /// The defaults for these inputs: the generic profile, a thread for each core, 1 GiB, no cache.
    ///
    /// ```
    /// # use walkaround::{settings::Settings, walk::Input};
    /// let settings = Settings::new(vec![Input::Path("dataset".into())]);
    /// assert_eq!(settings.profile.caption_extension, ".txt");
    /// ```
    #[must_use]
    pub fn new(inputs: Vec<Input>) -> Self {
        let profile = Generic::default().profile();
        Self {
            inputs,
            walk: WalkOptions { caption_extension: profile.caption_extension.clone(), follow_links: false, hidden: false },
            profile,
            plan: Plan::every(),
            limits: Limits::default(),
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: 1 << 30,
            sha256: false,
            caption_text: false,
            cache: None,
            tokenizers: Tokenizers::new(),
            witness: None,
            faults: Vec::new(),
            rules: Rules::default(),
        }
    }

    /// The part of the memory that is for decoding; the rest is for the files' bytes.
    #[must_use]
    pub fn decoding_bytes(&self) -> u64 {
        self.memory_bytes - self.memory_bytes / 4
    }

    /// Takes over a trainer for all inputs, with what the walk must know of it.
    pub fn set_trainer(&mut self, trainer: Box<dyn Trainer>) {
        self.profile = trainer.profile();
        self.walk.caption_extension.clone_from(&self.profile.caption_extension);
        self.plan = Plan::of(trainer);
    }
}
