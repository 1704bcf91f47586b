//! The check to run on an image dataset before starting a trainer.
//!
//! walkaround looks at every file the way a trainer will, says what will stop the run or be trained wrongly, and writes
//! down exactly what the dataset is.
//!
//! # The rooms
//!
//! Data moves one way: `walk` lists samples; for each, `probe`, `decode` and `captions` turn bytes into facts; `checks`
//! turn facts into findings; `sinks` write reports. `pipeline` wires them and is the only room with threads that work on samples.
//!
//! | room | what it does | may use |
//! |---|---|---|
//! | [`model`] | the nouns that rooms say to each other | nothing of ours |
//! | [`walk`] | folders and lists -> numbered samples | model |
//! | [`probe`] | header bytes -> facts | model |
//! | [`decode`] | bytes -> verdicts and pixel facts | model |
//! | [`captions`] | bytes -> captions, metadata files | model |
//! | [`cache`] | facts of earlier runs | model |
//! | [`trainers`] | what training programs expect | model |
//! | [`recipe`] | a trainer's own configuration -> datasets, settings and faults | model, trainers |
//! | [`checks`] | facts -> findings | model |
//! | [`witness`] | what the trainer's own libraries do with a file; starts their interpreter | model |
//! | [`settings`] | what the user asked for, as plain data | model, checks (their names), trainers, and the option types of walk, decode, captions, cache and witness |
//! | [`manifest`] | the manifest's lines: read, compared, exported | model |
//! | [`bisect`] | which sample makes a run fail; starts the trials | model, walk |
//! | [`sinks`] | output formats | model, manifest, settings |
//! | [`pipeline`] | runs the stages | everything above |
//! | `cli` | arguments, terminal, exit codes | the public API |
//!
//! `recipe` reads what `--config` names. It is pure: whoever calls it passes closures that open the files a configuration refers
//! to and look up its environment variables. What it hands on is plain data, in the trainers' own key names, so that one dataset of
//! a configuration becomes one `trainers::Trainer` by calling `set` for each of its settings; what is wrong with the configuration
//! is a `model::RecipeFault`, which `checks` turns into a finding.
//!
//! [`bisect`] stands beside the stages: it is for the failure that no check foresees. From facts it makes a suspicion of each
//! sample, and from the verdicts of trials it tells which subset to train next, until the culprit is proven. Its search is a
//! pure function of the verdicts, so whoever keeps them can go on after any interruption.

pub mod bisect;
pub mod cache;
pub mod captions;
pub mod checks;
pub mod decode;
pub mod manifest;
pub mod model;
pub mod pipeline;
pub mod probe;
pub mod recipe;
pub mod settings;
pub mod sinks;
pub mod trainers;
pub mod walk;
pub mod witness;

pub use pipeline::{inspect, run};
