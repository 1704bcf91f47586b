//! F115: entries of the folder that the chosen trainer takes for samples.

use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{Finding, Level, Obstruction, Outcome};

declare_check! {
    /// ## What it does
    /// Reports files and folders that are no images and that the chosen trainer opens as if they were, or trips over.
    ///
    /// ## Why it matters
    /// The dreambooth scripts of diffusers (58eb52c0, `train_dreambooth_lora_flux.py` 802) open every entry of the folder: a caption
    /// beside its image, a `metadata.jsonl`, `.DS_Store` or a subfolder ends the run with `UnidentifiedImageError` or
    /// `IsADirectoryError`. SimpleTuner makes samples of every `.psd` and `.mp4`.
    ///
    /// ## Example
    /// `dog.txt` beside `dog.png` in an instance folder.
    ///
    /// ## What to do
    /// Move everything that is no image out of the folder.
    F115 "stray-entry", level: Error, since: "0.1.0", run: Run::Elsewhere,
}

/// The finding for what is in a trainer's way; only the trainer knows what that is, so it is the run that asks for this.
pub(in crate::checks) fn finding(trainer: &'static str, obstruction: &Obstruction) -> Finding {
    let mut out = Findings::new(&CHECK);
    let Obstruction { paths, what, consequence, help } = obstruction;
    let level = match consequence.outcome {
        Outcome::Stop => Level::Error,
        Outcome::Distort | Outcome::Skip | Outcome::Replace => Level::Warning,
        Outcome::Train => Level::Info,
    };
    let message = format!("{} {what}", counted(paths.len(), "entry"));
    out.report_all(paths.clone(), message).level(level).means_to(trainer, consequence.clone()).help(help.clone());
    out.into_vec().remove(0)
}

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::model::{Consequence, Level, Obstruction, Outcome, Phase, RelPath};

    #[test]
    fn what_stops_the_trainer_is_an_error() {
        let consequence = Consequence { outcome: Outcome::Stop, phase: Phase::DatasetScan, text: "opening raises".to_owned() };
        let paths = vec![RelPath::from("a.txt"), RelPath::from("b.txt")];
        let obstruction =
            Obstruction { paths, what: "are no images, and every entry is opened".to_owned(), consequence, help: "move them".to_owned() };
        let finding = finding("diffusers", &obstruction);
        assert_eq!((finding.level, finding.paths.len()), (Level::Error, 2));
        assert_eq!(finding.message, "2 entries are no images, and every entry is opened");
        assert_eq!(finding.consequences["diffusers"].text, "opening raises");
    }
}
