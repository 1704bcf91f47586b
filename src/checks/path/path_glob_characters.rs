//! P102: a name that search patterns take for a pattern.

use crate::checks::component::{files, folder_names};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, Outcome, Phase, Profile, RelPath};

declare_check! {
    /// ## What it does
    /// Reports `[`, `*` and `?` in the names of folders, those above the dataset included, once for each name; in file names as
    /// information.
    ///
    /// ## Why it matters
    /// `glob.glob(folder + "/*.png")` takes `set [v2]` for a pattern that matches `set v` or `set 2`, and finds nothing: the
    /// dataset looks empty, or, where only caches are searched for like this, they are made again or not found. sd-scripts
    /// (48d368fa) escapes the folder of the images and forgets that of the caches; musubi-tuner (v0.3.4) says "No training
    /// items found" if `cache_directory` has brackets.
    ///
    /// ## Example
    /// `set [v2]/10_cat/` with five images, none of which is found.
    ///
    /// ## What to do
    /// Rename the folder without these characters.
    P102 "path-glob-characters", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for folder in folder_names(facts) {
        let found = pattern_characters(folder.shown.as_str());
        if found.is_empty() {
            continue;
        }
        let message = format!("\"{}\" in {} is a search pattern to glob: {}", folder.shown, folder.place(), found.join(" "));
        out.report_all(folder.folders, message)
            .evidence("component", folder.shown.as_str())
            .evidence("in_root", folder.in_root)
            .evidence("characters", found)
            .evidence("samples", folder.samples)
            .means(Outcome::Skip, Phase::DatasetScan, "loaders that search with an unescaped pattern find nothing below it")
            .help("rename the folder without these characters");
    }
    let named: Vec<RelPath> = files(facts).into_iter().filter(|file| !pattern_characters(file.name()).is_empty()).cloned().collect();
    if !named.is_empty() {
        let message = format!(
            "{} file {} to glob",
            named.len(),
            if named.len() == 1 { "name is a search pattern" } else { "names are search patterns" }
        );
        out.report_all(named, message)
            .level(Level::Info)
            .means(Outcome::Train, Phase::DatasetScan, "only loaders that search for a caption or cache by pattern miss it")
            .help("rename the files if captions or caches are not found");
    }
}

/// A `]` without `[` means nothing to glob.
fn pattern_characters(name: &str) -> Vec<&'static str> {
    ["[", "*", "?"].into_iter().filter(|character| name.contains(character)).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy, rooted};
    use crate::model::Level;

    #[test]
    fn a_folder_is_reported_once_wherever_it_is() {
        let below: Vec<_> = (0..5).map(|n| healthy(&format!("set [v2]/10_cat/{n}.png"))).collect();
        let inside: Vec<_> = (0..5).map(|n| healthy(&format!("10_cat/{n}.png"))).collect();
        for (samples, root, paths) in [(below, "/data", 1), (inside, "/data/set [v2]", 0)] {
            let findings = findings_in(&CHECK, &samples, rooted(root));
            assert_eq!(findings.len(), 1);
            assert_eq!((&findings[0].evidence["component"], &findings[0].evidence["samples"]), (&"set [v2]".into(), &5.into()));
            assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Warning, paths));
        }
    }

    #[test]
    fn file_names_are_information() {
        let findings = findings_in(&CHECK, &[healthy("a [1].png")], rooted("/data"));
        assert_eq!((findings.len(), findings[0].level), (1, Level::Info));
    }

    #[test]
    fn stays_quiet_about_other_brackets() {
        assert!(findings_in(&CHECK, &[healthy("set (v2) {x} ]/a.png")], rooted("/data/a!b")).is_empty());
    }
}
