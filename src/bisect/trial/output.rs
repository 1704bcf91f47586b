//! A command's output, as it comes: to the log, to the terminal, and past the judge.

use std::fs::File;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::Judge;
use crate::bisect::Verdict;

/// Bytes of a line behind which it is cut in two.
const MAX_LINE: usize = 64 << 10;

/// Bytes of a line that has not ended up to which it is looked at: a progress bar ends its lines late, and a program that writes byte
/// by byte must not cost time that is quadratic in its lines.
const MAX_OPEN: usize = 4 << 10;

/// The thread that reads; its channel is closed when the output is.
pub(super) struct Reader {
    /// The first line that decides, and what it says; none if none does.
    pub(super) sights: Receiver<(Verdict, String)>,
    /// Says how the log went when all is read.
    pub(super) closed: Receiver<io::Result<()>>,
}

impl Reader {
    /// Reads until all who can write to the pipe have closed it.
    pub(super) fn start(pipe: PipeReader, log: File, live: bool, judge: Judge) -> io::Result<Self> {
        let (sight, sights) = bounded(1);
        let (done, closed) = bounded(1);
        thread::Builder::new().name("walkaround-trial".to_owned()).spawn(move || {
            // Nobody may be waiting any more.
            let _ = done.send(read(pipe, log, live, &judge, &sight));
        })?;
        Ok(Self { sights, closed })
    }
}

fn read(mut pipe: PipeReader, mut log: File, live: bool, judge: &Judge, sight: &Sender<(Verdict, String)>) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    let mut open = Vec::new();
    let mut is_decided = judge.is_empty();
    // A full disk must not stop the pipe, and with it the trainer.
    let mut trouble = Ok(());
    loop {
        let count = match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return trouble.and(Err(error)),
        };
        let new = buffer.get(..count).unwrap_or_default();
        if trouble.is_ok() {
            trouble = log.write_all(new);
        }
        if live {
            let _ = io::stderr().write_all(new);
        }
        if is_decided {
            continue;
        }
        for &byte in new {
            // Progress bars end their lines with a carriage return.
            let ends = matches!(byte, b'\n' | b'\r');
            if !ends {
                open.push(byte);
            }
            if ends || open.len() >= MAX_LINE {
                is_decided = is_decided || tell(judge, &open, sight);
                open.clear();
            }
        }
        if !is_decided && open.len() <= MAX_OPEN {
            is_decided = tell(judge, &open, sight);
        }
    }
    if !is_decided {
        tell(judge, &open, sight);
    }
    trouble.and_then(|()| log.flush())
}

fn tell(judge: &Judge, line: &[u8], sight: &Sender<(Verdict, String)>) -> bool {
    let Some(verdict) = judge.verdict(line) else { return false };
    let _ = sight.try_send((verdict, String::from_utf8_lossy(line).trim().chars().take(200).collect()));
    true
}
