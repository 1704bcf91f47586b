//! The arguments of `bisect`, as typed.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::cli::args::PageFormat;

#[derive(Debug, clap::Args)]
pub(crate) struct BisectOptions {
    #[command(subcommand)]
    pub(super) action: BisectAction,
}

#[derive(Debug, Subcommand)]
pub(super) enum BisectAction {
    /// Run a command on parts of a dataset until the samples that make it fail are found
    #[command(after_help = "Exit codes:\n  0  proven\n  3  narrowed, not proven\n  4  the premise fails: it is not the data")]
    Run(Box<RunOptions>),
    /// Go on with a bisection that was broken off
    Resume {
        /// Its folder
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// What a trial means that was under way
        #[arg(long, value_name = "WHAT", default_value = "auto")]
        pending: OnPendingChoice,
        /// Do not show the output of trials
        #[arg(short, long)]
        quiet: bool,
    },
    /// Say where a bisection stands, also while it runs
    Status {
        /// Its folder
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Format of the answer
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: PageFormat,
    },
    /// List the trials and their verdicts
    Log {
        /// Its folder [default: the current one]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Take the last verdict back
    Undo {
        /// Its folder [default: the current one]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Remove what a bisection has written to its folder
    Reset {
        /// Its folder [default: the current one]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Begin a bisection by hand: it names a folder to train on, and you say what happened
    Start(Box<DatasetToSearch>),
    /// The run on the folder passed
    Good(Place),
    /// The run on the folder failed
    Bad(Place),
    /// The run on the folder says nothing
    Skip(Place),
}

#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Folder of the bisection [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(super) work: Option<PathBuf>,
}

/// What is searched, and how.
#[derive(Debug, clap::Args)]
pub(super) struct DatasetToSearch {
    /// The dataset, which is only read
    #[arg(value_name = "PATH")]
    pub(super) path: PathBuf,
    /// Folder for the journal, the logs and the subsets
    #[arg(long, value_name = "DIR")]
    pub(super) work: PathBuf,
    /// Trainer, as for `check`
    #[arg(long, value_name = "NAME")]
    pub(super) trainer: Option<String>,
    /// The trainer's configuration, of which each trial gets one that points at its subset
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Samples that are known to be good; they take the places of those that are left out
    #[arg(long, value_name = "FOLDER")]
    pub(super) known_good: Option<PathBuf>,
    /// What becomes of the places of samples that are left out [default: replace where there is --known-good]
    #[arg(long, value_name = "STRATEGY")]
    pub(super) strategy: Option<StrategyChoice>,
    /// Go on until what is left passes
    #[arg(long)]
    pub(super) all: bool,
    /// Run each subset so often; one failure is enough
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) repeat: u32,
    /// Share of runs in which the failure shows, 1 for always [default: it is measured]
    #[arg(long, value_name = "RATE")]
    pub(super) failure_rate: Option<f64>,
    /// Minutes that a run takes, for what is said about the time left
    #[arg(long, value_name = "MINUTES", default_value_t = 10.0)]
    pub(super) minutes_per_trial: f64,
}

#[derive(Debug, clap::Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    pub(super) dataset: DatasetToSearch,
    /// A line of output that matches makes a trial bad and ends it
    #[arg(long, value_name = "REGEX")]
    pub(super) bad_when: Vec<String>,
    /// A line of output that matches makes a trial good and ends it
    #[arg(long, value_name = "REGEX")]
    pub(super) good_when: Vec<String>,
    /// A value in the output that makes a trial bad, such as loss=nan
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) also_bad: Vec<String>,
    /// Longest time of a trial: 90, 90s, 15m, 2h, or 3x for three times the first one that fails
    #[arg(long, value_name = "TIME")]
    pub(super) timeout: Option<String>,
    /// What it means that a trial takes longer [default: bad; good for a multiple, for it has outlived the failure]
    #[arg(long, value_name = "VERDICT", requires = "timeout")]
    pub(super) timeout_is: Option<VerdictChoice>,
    /// Memory of all processes of a trial together, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub(super) memory: Option<u64>,
    /// Seconds that processes have to end by themselves when a trial is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub(super) grace: f64,
    /// Let a shell read the command
    #[arg(long)]
    pub(super) shell: bool,
    /// Do not show the output of trials
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// The command; {dataset} and {config} are replaced, and are `WALKAROUND_DATASET` and `WALKAROUND_CONFIG` in its environment
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(super) command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OnPendingChoice {
    /// Bad if the machine was started again since, else it is run again
    Auto,
    /// It took the machine down
    Bad,
    /// It says nothing
    Skip,
    /// Ask
    Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StrategyChoice {
    /// Leave them empty
    Remove,
    /// Fill them with samples that are known to be good
    Replace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VerdictChoice {
    /// It passed
    Good,
    /// It failed
    Bad,
    /// It says nothing
    Untestable,
}
