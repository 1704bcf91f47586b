//! P106: folders `<repeats>_<name>` that are not where sd-scripts looks for them.

use std::path::Path;

use crate::checks::component::{below_root, is_repeats_and_name};
use crate::checks::words::counted;
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Folder, Outcome, Phase, Profile, RelPath, Root};

declare_check! {
    /// ## What it does
    /// Reports a dataset whose own folder is called `<repeats>_<name>`, one whose `<repeats>_<name>` folders are a level too
    /// deep, and images that lie loose beside such folders.
    ///
    /// ## Why it matters
    /// sd-scripts (48d368fa, `library/config_util.py` 606) takes images only from the folders directly below `train_data_dir`.
    /// Given the folder of the images itself, or one too far up, it says "No data found. Please verify arguments" and ends,
    /// with exit code 0; loose images are left out without a word.
    ///
    /// ## Example
    /// `--train_data_dir set/10_cat`, or `--train_data_dir set` for `set/img/10_cat`.
    ///
    /// ## What to do
    /// Give the folder that holds the `<repeats>_<name>` folders. For a trainer that is given folders of images there is
    /// nothing to do.
    P106 "wrong-root-level", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

fn check(facts: &DatasetFacts<'_>, profile: &Profile, out: &mut Findings) {
    // The layout is that of sd-scripts.
    if !profile.is_generic() && profile.trainer != "kohya" {
        return;
    }
    for root in facts.inventory.roots.iter().filter(|root| is_folder(root)) {
        let folders: Vec<(&Folder, Vec<&str>)> = facts
            .inventory
            .folders
            .iter()
            .filter(|folder| folder.path.below_prefix(root.prefix.as_str()).is_some())
            .map(|folder| (folder, below_root(facts.inventory, &folder.path).split('/').collect()))
            .collect();
        let loose: u64 = folders.iter().filter(|(_, parts)| parts == &[""]).map(|(folder, _)| folder.images).sum();
        let at_depth =
            |depth: usize| folders.iter().filter(move |(_, parts)| parts.get(depth).is_some_and(|name| is_repeats_and_name(name)));
        let own = root.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();

        if at_depth(0).next().is_some() {
            if loose > 0 {
                let lie = if loose == 1 { "lies" } else { "lie" };
                report(
                    out,
                    &root.prefix,
                    format!("{} {lie} loose beside the folders named <repeats>_<name>", counted(loose, "image")),
                    "sd-scripts leaves them out without a word",
                )
                .evidence("images", loose)
                .help("move them into one of the folders");
            }
        } else if let Some((folder, parts)) = at_depth(1).next() {
            let above = parts.first().copied().unwrap_or_default();
            let path = RelPath::from(folder.path.as_str()).folder().to_owned();
            let message = format!("folders named <repeats>_<name>, such as {}, are one level too deep for sd-scripts", folder.path);
            report(out, &RelPath::from(path.as_str()), message, "sd-scripts finds no images if it is given this folder")
                .evidence("folder", above)
                .help(format!("give the folder {above} as train_data_dir"));
        } else if loose > 0 && is_repeats_and_name(&own) {
            let message = format!("the dataset's own folder is called {own}: sd-scripts wants the folder above it");
            report(out, &root.prefix, message, "sd-scripts finds no images if it is given this folder as train_data_dir")
                .evidence("folder", own)
                .help("give the folder above as train_data_dir");
        }
    }
}

fn report<'a>(out: &'a mut Findings, path: &RelPath, message: String, consequence: &str) -> &'a mut crate::model::Finding {
    let paths = if path.as_str().is_empty() { Vec::new() } else { vec![path.clone()] };
    out.report_all(paths, message).means(Outcome::Skip, Phase::DatasetScan, consequence)
}

/// A single file has a root too: its folder, which nobody meant to train on.
fn is_folder(root: &Root) -> bool {
    Path::new(&root.typed).file_name().is_none_or(|name| root.folder.file_name() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::checks::support::{findings_in, healthy};
    use crate::model::{Folder, Inventory, Root};

    fn messages(typed: &str, folders: &[&str]) -> Vec<String> {
        let roots = vec![Root { typed: typed.to_owned(), folder: format!("/data/{typed}").into(), prefix: "".into() }];
        let folders = folders.iter().map(|path| Folder { path: (*path).into(), images: 3 }).collect();
        let findings = findings_in(&CHECK, &[healthy("x.png")], Inventory { roots, folders, ..Inventory::default() });
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn each_wrong_level_fires() {
        assert_eq!(messages("10_cat", &[""]), ["the dataset's own folder is called 10_cat: sd-scripts wants the folder above it"]);
        assert_eq!(
            messages("set", &["img/10_cat", "img/5_dog"]),
            ["folders named <repeats>_<name>, such as img/10_cat, are one level too deep for sd-scripts"]
        );
        assert_eq!(messages("set", &["", "10_cat"]), ["3 images lie loose beside the folders named <repeats>_<name>"]);
    }

    #[test]
    fn stays_quiet_where_the_level_is_right_or_nobody_counts_repeats() {
        for (root, folders) in [
            ("set", &["10_cat", "5_dog"][..]),
            ("set", &[""]),
            ("2024_trip", &[""]),
            ("10_cat", &["10_a"]),
            ("set", &["10_cat", "img/5_dog"]),
            ("set", &["+4_cat", "img/5_dog"]),
        ] {
            assert_eq!(messages(root, folders), Vec::<String>::new(), "{root} {folders:?}");
        }
    }
}
