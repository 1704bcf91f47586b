//! Stage 5: output formats, one small file each.
//!
//! A sink is told of the header, of every sample in order, of the findings about the whole dataset, and of the end. It
//! writes where it was told to when it was made, and nowhere else. May use `model`, `manifest` and `settings`.

mod baseline;
mod buckets;
mod github;
mod json;
mod junit;
mod kept;
mod manifest;
mod manifest_csv;
#[cfg(feature = "parquet")]
mod manifest_parquet;
mod report;
mod repository;
mod sarif;
mod spreadsheet;
mod text;
mod words;

use std::io;

pub use baseline::Baseline;
pub use buckets::{BucketFormat, BucketOptions, Buckets};
pub use github::GitHub;
pub use json::{Json, JsonLines};
pub use junit::JUnit;
pub use manifest::Manifest;
pub use manifest_csv::ManifestCsv;
#[cfg(feature = "parquet")]
pub use manifest_parquet::ManifestParquet;
pub use report::schema;
pub use sarif::{Rule, Sarif};
pub use text::{Text, Verbosity};

use crate::model::{Finding, Inventory, Profile, SampleReport, Summary, Witness};
use crate::settings::Settings;

/// Program and version, as reports name it.
pub const TOOL: &str = concat!("walkaround ", env!("CARGO_PKG_VERSION"));

/// What a run is about.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// What the walk found.
    pub inventory: &'a Inventory,
    /// What was asked for.
    pub settings: &'a Settings,
    /// What the trainer expects.
    pub profile: &'a Profile,
    /// Who was asked to confirm what was found.
    pub witness: Option<&'a Witness>,
}

impl<'a> Header<'a> {
    /// The header of a run.
    #[must_use]
    pub fn new(settings: &'a Settings, inventory: &'a Inventory, witness: Option<&'a Witness>) -> Self {
        Self { inventory, settings, profile: &settings.profile, witness }
    }
}

/// Writes reports somewhere.
///
/// Methods are called in the order in which they stand here, `sample` once for each sample; `dataset` is left out when the
/// run was interrupted. An error ends the run. What a sink does not want to know it passes over.
pub trait Sink {
    /// The walk is done.
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        let _ = header;
        Ok(())
    }
    /// A sample was looked at.
    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        let _ = report;
        Ok(())
    }
    /// The dataset was judged as a whole.
    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        let _ = findings;
        Ok(())
    }
    /// The run has ended.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}
