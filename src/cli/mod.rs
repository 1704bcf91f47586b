//! Arguments, environment, terminal and exit codes; one file per subcommand. Uses the library's public API only.

mod args;
mod bisect;
mod buckets;
mod cache;
mod changes;
mod check;
mod config;
mod diff;
mod exit;
mod export;
mod interrupt;
mod locate;
mod output;
mod pages;
mod progress;
mod recipe;
mod verify;

use std::ffi::OsString;

use clap::Parser as _;

use args::{Args, Command};
use exit::Exit;

/// Runs the program.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return exit::usage(&error),
    };
    let result = match args.command {
        Command::Check(options) => check::check(&options),
        Command::Manifest(options) => check::manifest(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Diff(options) => diff::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Buckets(options) => buckets::run(&options),
        Command::Bisect(options) => bisect::run(&options),
        Command::Locate(options) => locate::run(&options),
        Command::Rules(options) => pages::rules(&options),
        Command::Explain(options) => pages::explain(&options),
        Command::Cache(options) => cache::run(&options),
    };
    result.unwrap_or_else(|error| exit::failure(&error))
}
