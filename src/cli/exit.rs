//! Exit codes, and the one line that explains the code 2.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// What the program says to whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing at or above `--fail-on`.
    Clean = 0,
    /// Findings at or above `--fail-on`.
    Findings = 1,
    /// The run could not happen: arguments, configuration, an output that cannot be opened.
    Failed = 2,
    /// A bisection has narrowed the suspects, and proven nothing.
    Narrowed = 3,
    /// The premise of a bisection fails.
    PremiseFailed = 4,
    /// Interrupted; what is known was written.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Prints what clap has to say: help on stdout with success, an error on stderr.
pub(super) fn usage(error: &clap::Error) -> Exit {
    // A closed pipe is no reason to fail.
    let _ = error.print();
    if error.use_stderr() { Exit::Failed } else { Exit::Clean }
}

/// Prints why the run could not happen. A reader that has closed the pipe has seen enough: that is success.
pub(super) fn failure(error: &anyhow::Error) -> Exit {
    if error.chain().any(is_broken_pipe) {
        return Exit::Clean;
    }
    let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
    let _ = writeln!(anstream::stderr(), "{red}error{red:#}: {error:#}");
    Exit::Failed
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    let is = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    cause.downcast_ref::<io::Error>().is_some_and(is)
        || matches!(cause.downcast_ref::<walkaround::pipeline::RunError>(), Some(walkaround::pipeline::RunError::Output(error)) if is(error))
}
