//! The nouns: everything that rooms say to each other.
//!
//! Plain data and what can be computed from it without asking anybody. No I/O, no threads, no codec, and nothing else of
//! this crate is imported here. A word that two rooms need lives here; a word that one room needs lives there.

mod buckets;
mod caption;
mod check_input;
mod condition;
mod decoded;
mod fault;
mod finding;
mod format;
mod hash;
mod inventory;
mod likeness;
mod metadata;
mod outlook;
mod path;
mod placement;
mod probe;
mod profile;
mod recipe_fault;
mod report;
mod sample;
mod testimony;

pub use buckets::{Bucket, BucketTable, Member};
pub use caption::{Caption, CaptionFacts, Encoding, InvalidText, LineEnding, Mojibake, SuspectCharacter};
pub use check_input::{DatasetFacts, ImageFacts, SampleBrief, SampleFacts};
pub use condition::Condition;
pub use decoded::{
    AlphaFacts, CRASH, Decoded, MAX_PIXELS, NEAR_DUPLICATE_BITS, PixelFacts, Raster, Refusal, Stage, Strict, Trailing, Verdict, WARN_PIXELS,
};
pub use fault::{Blame, Fault, FaultKind};
pub use finding::{Code, Consequence, Finding, Level, Outcome, Phase};
pub use format::{Content, Format, Mode, OtherContent};
pub use hash::ContentHash;
pub use inventory::{Folder, Inventory, Oddity, OddityKind, Root, SystemFileKind};
pub use likeness::nearest;
pub use metadata::{CaptionCell, FileNames, MetadataFacts, MetadataFault, MetadataFaultKind, MetadataKind, MetadataRow};
pub use outlook::{Obstruction, Outlook, Silent, SilentAct, TrainerFate};
pub use path::{RelPath, printable};
pub use placement::{Fate, HEAVY_CROP, Placement, Unplaced};
pub use probe::{Exif, Orientation, Probe, Size};
pub use profile::{ExtensionCase, Profile};
pub use recipe_fault::{Place, RecipeFault, RecipeFaultKind};
pub use report::{Confirmed, LevelCounts, SampleReport, Summary};
pub use sample::{FileIdentity, NamedAs, Sample, SampleIndex, SideFile};
pub use testimony::{Contradiction, Ended, Ending, Loader, Seen, Testimony, Witness};
