//! The report for a person at a terminal: grouped by check, worst first, long lists folded, one closing line.
//!
//! Written with ANSI styles; whoever gives the stream strips them where they are not wanted.

mod outlook;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::words::{counted, megapixels};
use super::{Header, Sink};
use crate::model::{Code, Consequence, Finding, Level, Phase, RelPath, SampleReport, Summary, Witness, printable};

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only the closing line.
    Quiet,
    /// How often each check fired, and the closing line.
    Statistics,
    /// Errors and warnings with some of their files; notes in one line.
    Normal,
    /// Everything.
    Verbose,
}

/// Files of one group that are listed without `-v`.
const LISTED: usize = 8;

/// Findings of one group that are kept without `-v`: enough to see which messages repeat.
const KEPT: usize = 64;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Writes the report for a person, at the end of the run.
#[derive(Debug)]
pub struct Text<W> {
    out: W,
    verbosity: Verbosity,
    groups: BTreeMap<(Reverse<Level>, Code), Group>,
    /// Samples that the walk found.
    listed: usize,
    witness: Option<Witness>,
}

/// Findings of one check at one level.
#[derive(Debug, Default)]
struct Group {
    findings: Vec<Finding>,
    /// All of them, those that were not kept included.
    count: usize,
    /// Files that all findings concern, those that were not kept included.
    files: usize,
}

impl<W: Write> Text<W> {
    /// A report that is written to `out`.
    pub fn new(out: W, verbosity: Verbosity) -> Self {
        Self { out, verbosity, groups: BTreeMap::new(), listed: 0, witness: None }
    }

    fn group(&mut self, level: Level, Group { findings, files, .. }: &Group) -> io::Result<()> {
        let Some(first) = findings.first() else { return Ok(()) };
        let color = color_of(level);
        writeln!(self.out, "{color}{level}{color:#} {BOLD}{}{BOLD:#} {DIM}{}{DIM:#}{}", first.name, first.code, extent(*files))?;
        let rows = rows(findings);
        let limit = if self.verbosity == Verbosity::Verbose { usize::MAX } else { LISTED };
        let mut shown = 0;
        for row in rows.iter().take(limit) {
            writeln!(self.out, "  {}", row.text)?;
            shown += usize::from(row.names_a_file);
        }
        let more = (*files - shown).max(rows.len().saturating_sub(limit));
        if more > 0 {
            writeln!(self.out, "  {DIM}... and {more} more; -v lists all{DIM:#}")?;
        }
        for consequence in distinct(findings.iter().filter_map(first_consequence), 2) {
            writeln!(self.out, "  = {}: {}", phase_words(consequence.phase), printable(&consequence.text))?;
        }
        for help in distinct(findings.iter().map(|finding| &finding.help).filter(|help| !help.is_empty()), 2) {
            writeln!(self.out, "  {BOLD}>{BOLD:#} {}", printable(help))?;
        }
        writeln!(self.out)
    }

    /// Who was asked, about how much, and what came of it.
    fn confirmation(&mut self, summary: &Summary) -> io::Result<()> {
        let (Some(Witness { interpreter, python, pillow, opencv }), Some(confirmed)) = (&self.witness, summary.confirmed) else {
            return Ok(());
        };
        if self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let opencv = opencv.as_ref().map_or_else(|| "no OpenCV".to_owned(), |version| format!("OpenCV {version}"));
        writeln!(
            self.out,
            "confirmed with {} (Python {}, Pillow {}, {}): {} of {}; {} contradicted, {} decided where nothing was known, {} ended it\n",
            printable(interpreter),
            printable(python),
            printable(pillow),
            printable(&opencv),
            confirmed.asked,
            counted(summary.samples, "image"),
            confirmed.contradicted,
            confirmed.decided,
            confirmed.ended,
        )
    }

    /// A line for each check and level: how many findings, about how many files.
    fn statistics(&mut self) -> io::Result<()> {
        for ((Reverse(level), code), group) in std::mem::take(&mut self.groups) {
            let Some(first) = group.findings.first() else { continue };
            let color = color_of(level);
            writeln!(
                self.out,
                "{color}{:>7}{color:#} {code} {:<28} {:>8} {}",
                level.name(),
                first.name,
                group.count,
                if group.files == 0 { String::new() } else { format!("{:>8}", counted(group.files as u64, "file")) }
            )?;
        }
        Ok(())
    }

    fn notes(&mut self, groups: &[(Code, Group)]) -> io::Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let color = color_of(Level::Info);
        writeln!(self.out, "{color}info{color:#}  nothing to do about these; -v shows them")?;
        for (code, group) in groups {
            if let Some(first) = group.findings.first() {
                writeln!(self.out, "  {} {DIM}{code}{DIM:#}{}", first.name, extent(group.files))?;
            }
        }
        writeln!(self.out)
    }

    fn closing(&mut self, summary: &Summary) -> io::Result<()> {
        let counts = summary.findings;
        let (color, word) = match (summary.interrupted, counts.worst()) {
            (true, _) => (color_of(Level::Warning), "interrupted"),
            (false, Some(Level::Error)) => (color_of(Level::Error), "no-go"),
            (false, Some(Level::Warning)) => (color_of(Level::Warning), "go, with care"),
            (false, _) => (Style::new().fg_color(Some(AnsiColor::Green.into())).bold(), "go"),
        };
        write!(
            self.out,
            "{color}{word}{color:#}: {}, {}, {}; {}, {} usable, {} with a caption ({}, {:.1} MP)",
            counted(counts.error, "error"),
            counted(counts.warning, "warning"),
            counted(counts.info, "note"),
            counted(summary.samples, "image"),
            summary.usable,
            summary.captioned,
            humanized(summary.bytes),
            megapixels(summary.pixels),
        )?;
        if summary.interrupted {
            write!(
                self.out,
                "; {} files were to come, and the dataset as a whole was not judged",
                (self.listed as u64).saturating_sub(summary.samples)
            )?;
        }
        if summary.ignored > 0 {
            write!(self.out, "; {} ignored by the settings", summary.ignored)?;
        }
        writeln!(self.out)
    }
}

impl<W: Write> Sink for Text<W> {
    fn begin(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.listed = header.inventory.samples.len();
        self.witness = header.witness.cloned();
        Ok(())
    }

    fn sample(&mut self, report: &SampleReport) -> io::Result<()> {
        self.dataset(&report.findings)
    }

    fn dataset(&mut self, findings: &[Finding]) -> io::Result<()> {
        for finding in findings {
            let group = self.groups.entry((Reverse(finding.level), finding.code)).or_default();
            group.count += 1;
            group.files += finding.paths.len();
            if group.findings.len() < KEPT || self.verbosity == Verbosity::Verbose {
                group.findings.push(finding.clone());
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if self.verbosity == Verbosity::Statistics {
            self.statistics()?;
            return self.closing(summary).and_then(|()| self.out.flush());
        }
        let mut notes = Vec::new();
        if self.verbosity > Verbosity::Quiet {
            for ((Reverse(level), code), group) in std::mem::take(&mut self.groups) {
                if level == Level::Info && self.verbosity < Verbosity::Verbose {
                    notes.push((code, group));
                } else {
                    self.group(level, &group)?;
                }
            }
        }
        self.notes(&notes)?;
        self.confirmation(summary)?;
        if self.verbosity > Verbosity::Quiet {
            outlook::write(&mut self.out, summary)?;
        }
        self.closing(summary)?;
        self.out.flush()
    }
}

/// What a finding means to trainers in general, or to the one that was chosen.
fn first_consequence(finding: &Finding) -> Option<&Consequence> {
    finding.consequences.get("generic").or_else(|| finding.consequences.values().next())
}

/// A line of a group.
struct Row {
    text: String,
    names_a_file: bool,
}

/// A line for each file, with what was seen; where several files have the same to say, it is said once above them.
fn rows(findings: &[Finding]) -> Vec<Row> {
    let mut alike: BTreeMap<&str, Vec<&RelPath>> = BTreeMap::new();
    for finding in findings {
        if let [path] = finding.paths.as_slice() {
            alike.entry(&finding.message).or_default().push(path);
        }
    }
    let mut rows = Vec::new();
    for finding in findings {
        let message = printable(&finding.message);
        // Several files in one finding belong together, and are no others than those.
        let together: Vec<&RelPath> = match finding.paths.as_slice() {
            [_] => alike.remove(finding.message.as_str()).unwrap_or_default(),
            _ => finding.paths.iter().collect(),
        };
        match together.as_slice() {
            [] if finding.paths.len() == 1 => {}
            [path] => rows.push(Row { text: format!("{path}: {message}"), names_a_file: true }),
            paths => {
                rows.push(Row { text: message.into_owned(), names_a_file: false });
                rows.extend(paths.iter().map(|path| Row { text: format!("  {path}"), names_a_file: true }));
            }
        }
    }
    rows
}

/// The first few different items, in the order of their first appearance.
fn distinct<'a, T: PartialEq>(items: impl Iterator<Item = &'a T>, most: usize) -> Vec<&'a T> {
    let mut seen: Vec<&T> = Vec::new();
    for item in items {
        if seen.len() == most {
            break;
        }
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

/// How many files a group concerns, set off from what stands before it; nothing for a group about the dataset as a whole.
fn extent(files: usize) -> String {
    if files == 0 { String::new() } else { format!("  {}", counted(files as u64, "file")) }
}

fn phase_words(phase: Phase) -> &'static str {
    match phase {
        Phase::DatasetScan => "when the dataset is scanned",
        Phase::Caching => "when images are loaded or cached",
        Phase::Training => "in training",
    }
}

fn color_of(level: Level) -> Style {
    let color = match level {
        Level::Error => AnsiColor::Red,
        Level::Warning => AnsiColor::Yellow,
        Level::Info => AnsiColor::Cyan,
    };
    Style::new().fg_color(Some(color.into())).bold()
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn humanized(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{LevelCounts, Outcome};

    fn finding(level: Level, path: &str, message: &str) -> Finding {
        Finding {
            code: Code("I101"),
            name: "truncated-image",
            level,
            paths: vec![RelPath::from(path)],
            message: message.to_owned(),
            evidence: BTreeMap::new(),
            condition: None,
            place: None,
            consequences: BTreeMap::new(),
            help: "fetch it again".to_owned(),
        }
    }

    fn written(findings: &[Finding], verbosity: Verbosity) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        let mut counts = LevelCounts::default();
        for finding in findings {
            counts.add(finding.level);
        }
        let mut text = Text::new(&mut out, verbosity);
        text.dataset(findings).expect("memory takes it");
        text.finish(&Summary { samples: 20, usable: 19, findings: counts, ..Summary::default() }).expect("memory takes it");
        String::from_utf8(out.into_inner()).expect("the report is text")
    }

    #[test]
    fn long_lists_are_folded_and_counted() {
        let many: Vec<Finding> =
            (0..20).map(|number| finding(Level::Error, &format!("{number}.png"), &format!("cut at {number}"))).collect();
        let text = written(&many, Verbosity::Normal);
        assert!(text.contains("... and 12 more; -v lists all"), "{text}");
        assert!(text.contains("error truncated-image I101  20 files"), "{text}");
        assert!(!written(&many, Verbosity::Verbose).contains("more;"));
    }

    #[test]
    fn the_last_line_says_go_or_no_go() {
        let closing = |findings: &[Finding]| written(findings, Verbosity::Quiet);
        assert!(closing(&[finding(Level::Error, "a", "m")]).starts_with("no-go: 1 error, 0 warnings"));
        assert!(closing(&[finding(Level::Warning, "a", "m")]).starts_with("go, with care: "));
        assert!(closing(&[]).starts_with("go: 0 errors"));
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        let mut hostile = finding(Level::Error, "a\u{1b}[2Jb.png", "seen \u{202e}");
        hostile.help("rename it from \u{1b}[31m").means(Outcome::Stop, Phase::Caching, "it stops at \u{61c}");
        let text = written(&[hostile], Verbosity::Normal);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{61c}']), "{text:?}");
    }

    #[test]
    fn a_message_that_several_share_is_said_once_above_them() {
        let findings =
            [("a.png", "same"), ("b.png", "other"), ("c.png", "same")].map(|(path, message)| finding(Level::Error, path, message));
        let text = written(&findings, Verbosity::Normal);
        assert!(text.contains("\n  same\n    a.png\n    c.png\n  b.png: other\n"), "{text}");
    }
}
