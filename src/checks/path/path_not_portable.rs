//! P101: a name that other systems, or loaders with an older idea of text, cannot deal with.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use crate::checks::component::{files, folder_names, level_where};
use crate::checks::{Findings, Run, declare_check};
use crate::model::{DatasetFacts, Level, Outcome, Phase, Profile, RelPath, printable};

declare_check! {
    /// ## What it does
    /// Reports names that make trouble elsewhere: characters outside ASCII, names that are not UTF-8, letters with separate
    /// accents (NFD, as macOS writes them), control characters, characters that Windows forbids, names that Windows reserves
    /// (CON, NUL, COM1 ...), and dots or spaces at the end. Each part of the dataset's own path and of the folders below it is
    /// reported once, file names once for each problem. File names outside ASCII are only information, and so is what only
    /// Windows minds on another system.
    ///
    /// ## Why it matters
    /// `cv2.imread` on Windows opens a path in the system's code page and returns nothing for others; scripts read lists of
    /// paths in the locale's encoding. The run then fails when training starts, although the folder opens everywhere else. A
    /// dataset that is copied to Windows loses files whose names are not allowed there, and a caption whose accents are stored
    /// in the other way does not belong to its image any more.
    ///
    /// ## Example
    /// A dataset below `tränade/re-do/10_x`: the folder with the `ä` is to blame, whatever the files are called.
    ///
    /// ## What to do
    /// Rename the folder or file to letters, digits, `-` and `_`.
    P101 "path-not-portable", level: Warning, since: "0.1.0", run: Run::Dataset(check),
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    NotUtf8,
    Control,
    Forbidden,
    Reserved,
    EndsInDotOrSpace,
    Decomposed,
    NonAscii,
}

impl Problem {
    /// What the name does, behind its subject.
    fn description(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not UTF-8",
            Self::Control => "control characters",
            Self::Forbidden => "characters that Windows forbids (< > : \" | ? * \\)",
            Self::Reserved => "a name that Windows reserves for devices",
            Self::EndsInDotOrSpace => "a dot or space at the end, which Windows drops",
            Self::Decomposed => "letters with separate accents (NFD)",
            Self::NonAscii => "characters outside ASCII",
        }
    }

    /// Whether Windows alone minds it.
    fn is_of_windows(self) -> bool {
        matches!(self, Self::Forbidden | Self::Reserved | Self::EndsInDotOrSpace)
    }

    fn name(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not-utf8",
            Self::Control => "control-characters",
            Self::Forbidden => "forbidden-characters",
            Self::Reserved => "reserved-name",
            Self::EndsInDotOrSpace => "trailing-dot-or-space",
            Self::Decomposed => "decomposed",
            Self::NonAscii => "non-ascii",
        }
    }
}

fn check(facts: &DatasetFacts<'_>, _: &Profile, out: &mut Findings) {
    for folder in folder_names(facts) {
        let problems = problems(&folder.name);
        if problems.is_empty() {
            continue;
        }
        let what: Vec<&str> = problems.iter().map(|problem| problem.description()).collect();
        let names: Vec<&str> = problems.iter().map(|problem| problem.name()).collect();
        let message = format!("\"{}\" in {}: {}{}", folder.shown, folder.place(), what.join(", "), outsiders(&folder.name));
        out.report_all(folder.folders, message)
            .level(level_where(cfg!(windows) || !problems.iter().all(|problem| problem.is_of_windows())))
            .evidence("component", folder.shown.as_str())
            .evidence("in_root", folder.in_root)
            .evidence("problems", names)
            .evidence("samples", folder.samples)
            .means(
                Outcome::Stop,
                Phase::DatasetScan,
                "loaders that do not use Unicode paths, and other systems, cannot open what is below it",
            )
            .help("rename the folder to letters, digits, - and _");
    }

    let mut by_problem: BTreeMap<Problem, Vec<RelPath>> = BTreeMap::new();
    for file in files(facts) {
        let name = RelPath::from(file.name()).to_os();
        for problem in problems(name.as_os_str()) {
            by_problem.entry(problem).or_default().push(file.clone());
        }
    }
    for (problem, paths) in by_problem {
        let number = paths.len();
        let message = format!("{number} file {}: {}", if number == 1 { "name" } else { "names" }, problem.description());
        let finding = out.report_all(paths, message);
        finding.evidence("problems", vec![problem.name()]).evidence("files", number);
        if problem == Problem::NonAscii {
            finding.level(Level::Info).means(
                Outcome::Train,
                Phase::DatasetScan,
                "trainers that load with Pillow open them; cv2.imread on Windows does not",
            );
        } else {
            finding.level(level_where(cfg!(windows) || !problem.is_of_windows()));
            finding.means(Outcome::Stop, Phase::DatasetScan, "the files cannot be copied to, or opened on, another system under this name");
        }
        finding.help("rename the files to letters, digits, - and _, captions along with their images");
    }
}

fn problems(name: &OsStr) -> Vec<Problem> {
    let Some(name) = name.to_str() else { return vec![Problem::NotUtf8] };
    let all = [
        (Problem::Control, name.chars().any(char::is_control)),
        (Problem::Forbidden, name.contains(['<', '>', ':', '"', '|', '?', '*', '\\'])),
        (Problem::Reserved, is_reserved(name)),
        (Problem::EndsInDotOrSpace, name.ends_with(['.', ' '])),
        (Problem::Decomposed, !name.is_ascii() && !unicode_normalization::is_nfc(name)),
        (Problem::NonAscii, !name.is_ascii()),
    ];
    all.into_iter().filter(|(_, is_so)| *is_so).map(|(problem, _)| problem).collect()
}

/// The first few characters outside ASCII, in brackets.
fn outsiders(name: &OsStr) -> String {
    let Some(name) = name.to_str().filter(|name| !name.is_ascii()) else { return String::new() };
    let mut seen = Vec::new();
    for character in name.chars().filter(|character| !character.is_ascii()) {
        if !seen.contains(&character) && seen.len() < 5 {
            seen.push(character);
        }
    }
    format!(" ({})", seen.iter().map(|character| printable(&character.to_string()).into_owned()).collect::<Vec<_>>().join(" "))
}

/// Names of devices, with any extension: Microsoft, "Naming Files, Paths, and Namespaces".
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|rest| matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::{CHECK, Problem, problems};
    use crate::checks::support::{findings_in, healthy, rooted};
    use crate::model::Level;

    #[test]
    fn a_folder_above_the_root_is_reported_once() {
        let samples = [healthy("10_x/a.png"), healthy("10_x/b.png")];
        let findings = findings_in(&CHECK, &samples, rooted("/data/tränade/re-do"));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "\"tränade\" in the path of the dataset: characters outside ASCII (ä)");
        assert_eq!((&findings[0].evidence["component"], &findings[0].evidence["samples"]), (&"tränade".into(), &2.into()));
        assert_eq!(findings[0].level, Level::Warning);
    }

    #[test]
    fn a_folder_below_the_root_is_reported_once() {
        let samples = [healthy("tränade/a/1.png"), healthy("tränade/b/2.png")];
        let findings = findings_in(&CHECK, &samples, rooted("/data"));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].paths, ["tränade".into()]);
    }

    #[test]
    fn file_names_outside_ascii_are_information() {
        let findings = findings_in(&CHECK, &[healthy("å.png"), healthy("ä.png")], rooted("/data"));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].level, findings[0].paths.len()), (Level::Info, 4));
    }

    #[test]
    fn names_are_judged() {
        use Problem::{Control, Decomposed, EndsInDotOrSpace, Forbidden, NonAscii, Reserved};
        for (name, expected) in [
            ("CON", vec![Reserved]),
            ("nul.png", vec![Reserved]),
            ("com7.tar.gz", vec![Reserved]),
            ("LPT¹", vec![Reserved, NonAscii]),
            ("a:b", vec![Forbidden]),
            ("a\\b", vec![Forbidden]),
            ("tab\t", vec![Control]),
            ("dot.", vec![EndsInDotOrSpace]),
            ("a\u{308}", vec![Decomposed, NonAscii]),
            ("ä", vec![NonAscii]),
            ("CONSOLE", vec![]),
            ("com0", vec![]),
            ("com10", vec![]),
            ("a b (1)[x].png", vec![]),
        ] {
            assert_eq!(problems(name.as_ref()), expected, "{name}");
        }
    }

    #[test]
    fn what_only_windows_minds_is_information_elsewhere() {
        let level = if cfg!(windows) { Level::Warning } else { Level::Info };
        let findings = findings_in(&CHECK, &[healthy("con/a.png"), healthy("x/a?.png")], rooted("/data"));
        let seen: Vec<Level> = findings.iter().map(|finding| finding.level).collect();
        assert_eq!(seen, [level, level]);
        let findings = findings_in(&CHECK, &[healthy("\u{e4}./a.png")], rooted("/data"));
        assert_eq!(findings[0].level, Level::Warning, "characters outside ASCII bite everywhere");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_are_found_in_their_escaped_form() {
        let findings = findings_in(&CHECK, &[healthy("caf\\xE9/a.png"), healthy("b\\xFF.png")], rooted("/data"));
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["\"caf\\xE9\" in a folder name: not UTF-8", "2 file names: not UTF-8"]);
    }

    #[test]
    fn stays_quiet_about_plain_names() {
        assert!(findings_in(&CHECK, &[healthy("10_my cat/a (1).png")], rooted("/data/set-1")).is_empty());
    }
}
