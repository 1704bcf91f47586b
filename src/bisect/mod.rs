//! Bisection: which sample makes a run fail, in as few runs as can be.
//!
//! [`problem`] is what is asked, [`search`] chooses the subset to try next and says who it was, [`suspicion`]
//! is made from facts, [`plan`] is what a person can follow by hand, and [`simulate`] stands in for a trainer to measure all of
//! that. Those are pure: no files, no processes, no clock, no chance.
//!
//! [`trial`] runs the user's command, [`subset`] builds the folder that it trains on, [`journal`] keeps what happened, [`run`] goes round
//! between the search and these, and [`status`] says where it stands.

pub mod journal;
pub mod plan;
pub mod problem;
pub mod run;
pub mod search;
pub mod simulate;
pub mod status;
pub mod subset;
pub mod suspicion;
pub mod trial;

pub use problem::{Flaky, Problem, SearchOptions, SuspectIndex};
pub use search::{Conclusion, Next, OutOfOrder, PremiseFailure, Purpose, Remaining, Search, State, Trial, Verdict};
