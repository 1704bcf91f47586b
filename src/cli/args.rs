//! The arguments, as typed. What they mean is worked out by each subcommand.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use walkaround::trainers;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};

/// The check to run on an image dataset before starting a trainer
#[derive(Debug, Parser)]
#[command(name = "walkaround", version, about, after_help = EXIT_CODES, max_term_width = 110)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    nothing at or above --fail-on
  1    findings at or above --fail-on (default: error)
  2    the run could not happen: arguments, settings, an output that cannot be opened
  3    bisect: narrowed, but not proven
  4    bisect: the premise does not hold
  130  interrupted; what is known was written";

/// The known trainers and their versions.
fn trainer_help() -> String {
    let mut text = "Trainer to check for, as NAME or NAME@VERSION. Without it every known one is asked at its own defaults:\n".to_owned();
    for about in trainers::all() {
        let versions: Vec<String> = about.versions.iter().map(|version| format!("{} ({})", version.name, version.date)).collect();
        text.push_str("  ");
        text.push_str(about.name);
        text.push_str(": ");
        text.push_str(about.title);
        text.push_str(", ");
        text.push_str(&versions.join(", "));
        text.push('\n');
    }
    text
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Look at every file and say what will stop the run or be trained wrongly
    Check(CheckOptions),
    /// Write down exactly what the dataset is, one JSON line a sample
    Manifest(ManifestOptions),
    /// Say whether a dataset still is exactly what a manifest says
    Verify(VerifyOptions),
    /// Say what differs between two manifests, sample by sample
    Diff(DiffOptions),
    /// Write a manifest in the form that another program reads
    Export(ExportOptions),
    /// Show which bucket every image goes to, and what is left out
    Buckets(BucketsOptions),
    /// Find the sample that makes a run fail, in as few runs as can be
    Bisect(super::bisect::BisectOptions),
    /// Say which samples a training step holds, as far as that can be proved
    Locate(LocateOptions),
    /// List all checks
    Rules(RulesOptions),
    /// Explain a check: what it does, why it matters, an example, what to do
    Explain(ExplainOptions),
    /// Look at or empty the cache, which makes unchanged files cost no reading
    Cache(CacheOptions),
}

/// Where the facts of earlier runs are.
#[derive(Debug, clap::Args)]
pub(super) struct CachePlace {
    /// Folder of the cache [default: `$WALKAROUND_CACHE_DIR`, or walkaround in the system's folder for caches]
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct CacheOptions {
    #[command(subcommand)]
    pub(super) action: CacheAction,
}

#[derive(Debug, Subcommand)]
pub(super) enum CacheAction {
    /// Say where the cache is and how much it holds
    Stat {
        #[command(flatten)]
        place: CachePlace,
        /// Format of the answer
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: PageFormat,
    },
    /// Forget everything
    Clear {
        #[command(flatten)]
        place: CachePlace,
    },
}

/// What to look at, and how.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct DatasetOptions {
    /// Folders or single files
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Look at the files that FILE lists, one a line or NUL-separated; - reads the list from standard input
    #[arg(long, value_name = "FILE")]
    pub(super) files_from: Option<PathBuf>,
    /// Trainer to check for, as NAME or NAME@VERSION [default: every known one, at its own defaults]
    #[arg(long, value_name = "NAME", long_help = trainer_help())]
    pub(super) trainer: Option<String>,
    /// The trainer's own configuration, or a file with its command line: its folders are checked with its settings
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Set one value by the trainer's own key, such as resolution=1024; may be repeated. An unknown key lists those that are known
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Settings file [default: walkaround.toml in the current folder or in the first PATH, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(super) settings: Option<PathBuf>,
    /// Follow links, also out of the dataset
    #[arg(long)]
    pub(super) follow_links: bool,
    /// Count hidden images (.name.png) as samples
    #[arg(long)]
    pub(super) hidden: bool,
    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// Memory for file contents and decoding of all threads together, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(16..=1 << 32))]
    pub(super) memory: u64,
    /// Give up on a single image after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) time_limit: u64,
    /// Rebuild every image to pixels as a cross-check (slow)
    #[arg(long)]
    pub(super) pixels: bool,
    /// Ask this Python, as a rule that of the trainer's venv, what its Pillow and its OpenCV do with the files
    #[arg(long, value_name = "PYTHON")]
    pub(super) confirm_with: Option<PathBuf>,
    /// Which files to ask it about
    #[arg(long, value_name = "WHICH", default_value = "suspicious", requires = "confirm_with")]
    pub(super) confirm: ConfirmWhich,
    /// Give up on an image after its worker has taken so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400), requires = "confirm_with")]
    pub(super) confirm_time_limit: u64,
    /// Memory for each worker beyond that of its libraries, in MiB (Linux only)
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(64..=1 << 24), requires = "confirm_with")]
    pub(super) confirm_memory: u64,
    /// Read every file again, whatever earlier runs have found, and keep nothing for later ones
    #[arg(long)]
    pub(super) no_cache: bool,
    #[command(flatten)]
    pub(super) cache: CachePlace,
    /// Count T5 tokens too, with this tokenizer.json
    #[cfg(feature = "t5")]
    #[arg(long, value_name = "FILE")]
    pub(super) tokenizer: Option<PathBuf>,
    /// Only these checks: codes, beginnings of codes, names or families; comma-separated
    #[arg(long, value_name = "CHECKS", value_delimiter = ',')]
    pub(super) select: Vec<String>,
    /// Not these checks
    #[arg(long, value_name = "CHECKS", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,
    /// Lowest level at which the exit code is 1 [default: error; of `manifest`: never]
    #[arg(long, value_name = "LEVEL")]
    pub(super) fail_on: Option<FailOn>,
    /// Say only the closing line, and show no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// List every file of every finding
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) verbose: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckOptions {
    #[command(flatten)]
    pub(super) dataset: DatasetOptions,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,
    /// Write the report to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Be quiet about the findings that FILE knows, until their files change
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Write all errors and warnings to FILE, as a baseline for later runs
    #[arg(long, value_name = "FILE")]
    pub(super) write_baseline: Option<PathBuf>,
    /// Say only how often each check fired
    #[arg(long, conflicts_with = "quiet")]
    pub(super) statistics: bool,
    /// Also write the manifest to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) manifest: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ManifestOptions {
    #[command(flatten)]
    pub(super) dataset: DatasetOptions,
    /// Write the manifest to FILE instead of standard output: as JSON lines, or as a table if FILE ends in .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Add the SHA-256 of every image
    #[arg(long)]
    pub(super) sha256: bool,
    /// Add the text of every caption
    #[arg(long)]
    pub(super) caption_text: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0    the dataset is as the manifest says
  1    it is not
  2    it could not be looked at, or the manifest cannot be read
  130  interrupted; what is known was written")]
pub(super) struct VerifyOptions {
    /// The manifest (JSON lines)
    #[arg(value_name = "MANIFEST")]
    pub(super) manifest: PathBuf,
    /// Where the dataset is [default: the roots as the manifest names them, from the current folder on]
    #[arg(long, value_name = "PATH")]
    pub(super) root: Option<PathBuf>,
    /// Read every file, also those whose size and date are as the manifest says
    #[arg(long)]
    pub(super) full: bool,
    /// Format of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PageFormat,
    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// Say only the closing line, and show no progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0    nothing differs: a run may be resumed
  1    something does
  2    a manifest cannot be read")]
pub(super) struct DiffOptions {
    /// The manifest of the dataset as it was
    #[arg(value_name = "OLD")]
    pub(super) old: PathBuf,
    /// The manifest of the dataset as it is
    #[arg(value_name = "NEW")]
    pub(super) new: PathBuf,
    /// Format of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PageFormat,
    /// Say only the closing line
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExportOptions {
    /// The manifest (JSON lines)
    #[arg(value_name = "MANIFEST")]
    pub(super) manifest: PathBuf,
    /// Form to write
    #[arg(long, value_name = "FORM")]
    pub(super) to: ExportForm,
    /// Write to FILE instead of standard output; of bagit, the folder to make
    #[arg(short, long, value_name = "FILE", required_if_eq("to", "bagit"))]
    pub(super) output: Option<PathBuf>,
    /// Where the dataset is [default: the root as the manifest names it, from the current folder on]
    #[arg(long, value_name = "PATH")]
    pub(super) root: Option<PathBuf>,
    /// Name of the dataset, for croissant and bagit [default: that of the root's folder]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct BucketsOptions {
    #[command(flatten)]
    pub(super) dataset: DatasetOptions,
    /// Answer for bare sizes instead of a dataset: FILE has one size such as 1024x768 a line; - reads them from standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "files_from", "rank_memory"])]
    pub(super) sizes: Option<PathBuf>,
    /// Rank buckets by the memory of a batch, and say what removing each would save
    #[arg(long)]
    pub(super) rank_memory: bool,
    /// Format of the table
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: TableFormat,
    /// Write the table to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct LocateOptions {
    #[command(flatten)]
    pub(super) dataset: DatasetOptions,
    /// The step, counted from 1, as the progress bar shows it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) step: u64,
    /// The run's seed
    #[arg(long, value_name = "SEED")]
    pub(super) seed: Option<i64>,
    /// The seed of the sampler of the step's epoch, if it was recorded (kohya)
    #[arg(long, value_name = "SEED")]
    pub(super) sampler_seed: Option<u64>,
    /// Worker processes that load batches (kohya)
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) workers: u32,
    /// Workers live on from epoch to epoch (kohya)
    #[arg(long)]
    pub(super) persistent_workers: bool,
    /// Batches whose gradients are added up for a step
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) accumulation: u32,
    /// Place of the module that sorts batches among all modules (onetrainer)
    #[arg(long, value_name = "N")]
    pub(super) module: Option<u32>,
    /// Format of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PageFormat,
}

#[derive(Debug, clap::Args)]
pub(super) struct RulesOptions {
    /// Format of the list
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PageFormat,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExplainOptions {
    /// Code or name, such as I101 or truncated-image
    #[arg(value_name = "CODE|NAME", required = true)]
    pub(super) checks: Vec<String>,
}

/// What a manifest is turned into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportForm {
    /// Checksums of images and captions, for sha256sum -c
    Sha256sums,
    /// metadata.jsonl of a Hugging Face imagefolder
    HfMetadata,
    /// metadata.csv of a Hugging Face imagefolder
    HfCsv,
    /// Metadata JSON of sd-scripts
    KohyaMetadata,
    /// JSON lines of musubi-tuner
    MusubiJsonl,
    /// Croissant 1.1 description (JSON-LD)
    Croissant,
    /// BagIt 1.0 bag that names its payload in fetch.txt
    Bagit,
}

/// Which files the trainer's own libraries are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ConfirmWhich {
    /// Files that are damaged, that a loader refuses, or of which something is not known
    Suspicious,
    /// Every file
    All,
}

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person
    Text,
    /// One JSON object (walkaround.report/1)
    Json,
    /// A JSON object a line, one for each finding
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// `JUnit` XML, a test case for each check
    Junit,
}

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For a person
    Text,
    /// A JSON object a line
    Jsonl,
    /// Comma-separated values with a heading
    Csv,
}

/// Format of an answer about the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PageFormat {
    /// For a person
    Text,
    /// JSON
    Json,
}

/// Lowest level at which the exit code is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// Never
    Never,
}
