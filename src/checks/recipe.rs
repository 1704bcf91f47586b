//! From a fault of a trainer's configuration to a finding of its check. The checks themselves are pages in `dataset/`; what they
//! report is seen when the configuration is read.

use super::{Check, Findings, dataset};
use crate::model::{Finding, RecipeFault, RecipeFaultKind, RelPath};

/// The check of a kind of faults.
fn check_of(kind: RecipeFaultKind) -> &'static Check {
    match kind {
        RecipeFaultKind::Parse => &dataset::config_parse::CHECK,
        RecipeFaultKind::EmptyPath => &dataset::config_empty_path::CHECK,
        RecipeFaultKind::ControlCharacters => &dataset::config_path_control_characters::CHECK,
        RecipeFaultKind::UnknownKey => &dataset::config_unknown_key::CHECK,
        RecipeFaultKind::WrongType => &dataset::config_wrong_type::CHECK,
        RecipeFaultKind::MissingKey => &dataset::config_missing_key::CHECK,
        RecipeFaultKind::Range => &dataset::config_range::CHECK,
        RecipeFaultKind::Conflict => &dataset::config_conflict::CHECK,
        RecipeFaultKind::LostOption => &dataset::config_lost_option::CHECK,
        RecipeFaultKind::DeletesFiles => &dataset::config_deletes_files::CHECK,
        RecipeFaultKind::Unresolved => &dataset::config_unresolved::CHECK,
    }
}

/// The finding for a fault of a trainer's configuration.
pub(super) fn finding(fault: &RecipeFault) -> Finding {
    let mut out = Findings::new(check_of(fault.kind));
    let place = fault.place;
    let finding = out
        .report(&RelPath::from(fault.file.as_str()), format!("line {}, column {}: {}", place.line, place.column, fault.message))
        .level(fault.level)
        .evidence("line", place.line)
        .evidence("column", place.column)
        .help(fault.help.clone());
    finding.place = Some(place);
    finding.consequences.insert(fault.trainer, fault.consequence.clone());
    finding.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Consequence, Level, Outcome, Phase, Place};

    #[test]
    fn a_finding_has_the_place_and_the_trainer() {
        let consequence = Consequence { outcome: Outcome::Stop, phase: Phase::DatasetScan, text: "it ends".to_owned() };
        let fault = RecipeFault {
            kind: RecipeFaultKind::EmptyPath,
            level: Level::Error,
            trainer: "diffusers",
            file: "config.json".to_owned(),
            place: Place { line: 3, column: 7 },
            message: "`class_data_dir` is empty".to_owned(),
            consequence,
            help: "name a folder".to_owned(),
        };
        let finding = finding(&fault);
        assert_eq!((finding.code.0, finding.name), ("D103", "config-empty-path"));
        assert_eq!(finding.message, "line 3, column 7: `class_data_dir` is empty");
        assert!(finding.consequences.contains_key("diffusers"));
    }
}
