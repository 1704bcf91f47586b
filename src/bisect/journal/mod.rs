//! What a bisection has done so far, on disk before and after each trial, so that it can go on from wherever it was broken off.
//!
//! `record` is what the lines say, `file` appends and reads them, `lock` keeps two runs out of one folder. What they mean for the search
//! is not known here.

mod file;
mod lock;
mod record;

pub use file::{Journal, JournalError, NAME, read};
pub use lock::{Lock, is_locked};
pub use record::{
    ConfigFile, Expected, Header, HeaderSample, History, KnownGood, Patterns, Pending, Record, SCHEMA, SearchSettings, Settled, TimeLimit,
    VerdictName,
};
