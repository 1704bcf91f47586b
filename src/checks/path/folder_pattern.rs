//! P105: a folder that nearly, but not quite, follows `<repeats>_<name>`.

use std::collections::BTreeMap;

use crate::checks::component::{below_root, has_repeats, is_repeats_and_name, is_year};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Outcome, Phase, Profile, RelPath, printable};

declare_check! {
    /// ## What it does
    /// Reports folders of images that are called like `100 name` where sd-scripts wants `100_name`, and, where other folders of
    /// the dataset do follow `<repeats>_<name>`, those that do not.
    ///
    /// ## Why it matters
    /// sd-scripts and what is built on it (kohya_ss, bmaltais' GUI) read the number of repeats from the name of each folder
    /// directly below `train_data_dir`. Older versions stop before the model is loaded with "invalid literal for int() with
    /// base 10: '100 Testtraining'"; newer ones (48d368fa, `library/config_util.py` 606) leave the folder out with a warning,
    /// and one with 0 repeats without a word.
    ///
    /// ## Example
    /// `img/100 Testtraining/`.
    ///
    /// ## What to do
    /// Rename the folder: a number, an underscore, and the name. For a trainer that is given each folder by itself there is
    /// nothing to do.
    P105 "folder-pattern", level: Error, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    // The layout is that of sd-scripts.
    if !profile.is_generic() && profile.trainer != "kohya" {
        return;
    }
    // Folders directly below a root with the images in and below them, and near misses one level further down.
    let mut children: BTreeMap<RelPath, u64> = BTreeMap::new();
    let mut near: BTreeMap<RelPath, u64> = BTreeMap::new();
    for folder in &facts.inventory.folders {
        let below = below_root(facts.inventory, &folder.path);
        let Some(root) = folder.path.as_str().strip_suffix(below) else { continue };
        let mut parts = below.split('/');
        let Some(child) = parts.next().filter(|child| !child.is_empty()) else { continue };
        *children.entry(RelPath::from(format!("{root}{child}").as_str())).or_default() += folder.images;
        if let Some(grandchild) = parts.next() {
            *near.entry(RelPath::from(format!("{root}{child}/{grandchild}").as_str())).or_default() += folder.images;
        }
    }
    let is_layout = children.keys().any(|child| is_repeats_and_name(child.name()));
    near.extend(children.iter().map(|(path, images)| (path.clone(), *images)));
    near.retain(|folder, _| renamed(folder.name()).is_some());
    for (folder, images) in &near {
        let wanted = renamed(folder.name()).unwrap_or_default();
        let message = format!(
            "\"{}\" needs the form <repeats>_<name>, such as \"{}\"; {} in it",
            printable(folder.name()),
            printable(&wanted),
            images_are(*images)
        );
        out.report(folder, message)
            .evidence("folder", folder.name())
            .evidence("wanted", wanted.as_str())
            .evidence("images", *images)
            .means(Outcome::Stop, Phase::DatasetScan, "sd-scripts stops at the name, or leaves the folder out, if its layout is used")
            .help(format!("rename the folder to {}", printable(&wanted)));
    }

    let ignored: Vec<(RelPath, u64)> =
        children.into_iter().filter(|(child, _)| is_layout && !has_repeats(child.name()) && !near.contains_key(child)).collect();
    let images: u64 = ignored.iter().map(|(_, images)| images).sum();
    if let [(first, _), ..] = ignored.as_slice() {
        let number = ignored.len();
        let message = format!(
            "{number} {} not follow <repeats>_<name> as the others do, such as \"{}\"; {} in {}",
            if number == 1 { "folder does" } else { "folders do" },
            printable(first.name()),
            images_are(images),
            if number == 1 { "it" } else { "them" },
        );
        out.report_all(ignored.into_iter().map(|(path, _)| path).collect(), message)
            .evidence("images", images)
            .means(Outcome::Skip, Phase::DatasetScan, "sd-scripts leaves the folder out and trains on the others")
            .help("rename the folder to <repeats>_<name>, or move it out of the dataset");
    }
}

fn images_are(number: u64) -> String {
    format!("{number} {}", if number == 1 { "image is" } else { "images are" })
}

/// What `100 name` should be called; `None` for anything else. A year is no number of repeats.
fn renamed(name: &str) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = name.strip_suffix(digits).filter(|number| !number.is_empty() && !is_year(number))?;
    let rest = digits.strip_prefix(' ')?.trim();
    (!rest.is_empty()).then(|| format!("{number}_{rest}"))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Folder, Inventory};

    fn messages(folders: &[&str]) -> Vec<String> {
        let folders = folders.iter().map(|path| Folder { path: (*path).into(), images: 3 }).collect();
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { folders, ..Inventory::default() });
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_space_for_the_underscore_fires() {
        let wanted = "\"100 Testtraining\" needs the form <repeats>_<name>, such as \"100_Testtraining\"; 3 images are in it";
        assert_eq!(messages(&["100 Testtraining"]), [wanted]);
        assert_eq!(messages(&["img/100 Testtraining"]), [wanted]);
    }

    #[test]
    fn one_folder_out_of_line_fires() {
        let wanted = "1 folder does not follow <repeats>_<name> as the others do, such as \"dog\"; 3 images are in it";
        assert_eq!(messages(&["10_cat", "dog"]), [wanted]);
        assert_eq!(messages(&["10_cat", "0_dog"]).len(), 1);
        assert_eq!(messages(&["10_cat", "1.5_dog", "x_10"]).len(), 1);
    }

    #[test]
    fn stays_quiet_about_other_layouts() {
        for folders in [
            &["2024-05 Trip"][..],
            &["2024 Trip"],
            &["cats", "dogs"],
            &["10_cat", "5", "+4_dog", "007_bond"],
            &["2024_trip", "misc"],
            &["", "10cats", "100 "],
            &["10_cat/close-ups"],
        ] {
            assert_eq!(messages(folders), Vec::<String>::new(), "{folders:?}");
        }
    }
}
