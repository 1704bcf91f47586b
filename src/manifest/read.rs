//! Reads a manifest line by line and refuses what it does not know. Opening the file is somebody else's work.

use std::io::{self, BufRead, Read as _};

use serde::Deserialize;
use thiserror::Error;

use super::SCHEMA;
use super::fingerprint::{Fingerprint, parse_hash};
use super::line::{HeaderLine, Line, SampleLine, SummaryLine};
use crate::model::printable;

/// Bytes above which a line is not read: the longest caption that is read has 16 MiB, and escapes make six characters of one.
const MAX_LINE: u64 = 128 << 20;

/// Why a manifest cannot be read.
#[derive(Debug, Error)]
#[error("{name}, line {line}: {kind}")]
pub struct ReadError {
    /// The manifest, as it was named.
    pub name: String,
    /// Where, counted from 1.
    pub line: u64,
    /// What is wrong there.
    #[source]
    pub kind: ReadErrorKind,
}

/// What is wrong with a line of a manifest.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file system's fault.
    #[error("failed to read: {0}")]
    Io(#[from] io::Error),
    /// No manifest at all.
    #[error("it is no manifest: {0}")]
    NoManifest(String),
    /// A manifest of another version of the format.
    #[error("the schema is `{0}`, and only `{SCHEMA}` is known; a newer walkaround may know it")]
    UnknownSchema(String),
    /// JSON that is broken, or that holds something else than a known record with known fields.
    #[error("it is no line of {SCHEMA}: {0}")]
    Unknown(String),
    /// A line that is longer than any that is written.
    #[error("the line has more than {MAX_LINE} bytes")]
    TooLong,
    /// A header, or a line behind the summary.
    #[error("a {0} line does not belong here")]
    Misplaced(&'static str),
    /// Two samples of one path, or in another order than that of their paths.
    #[error("`{path}` does not come after `{before}`: samples are sorted by path")]
    Unsorted {
        /// The sample of this line.
        path: String,
        /// The one before it.
        before: String,
    },
    /// A hash that is none.
    #[error("`{0}` is no BLAKE3 hash")]
    NoHash(String),
    /// The summary is missing.
    #[error("the summary is missing: the manifest was cut short")]
    CutShort,
    /// The summary says that the run was broken off.
    #[error("the run that wrote it was interrupted, so that part of the dataset is missing; write the manifest again")]
    Interrupted,
    /// The summary counts otherwise.
    #[error("the summary counts {counted} samples, and there are {found}: lines were added or taken away")]
    OtherCount {
        /// Samples by the summary.
        counted: u64,
        /// Samples that were read.
        found: u64,
    },
    /// The summary has another fingerprint.
    #[error("the fingerprint is not that of the samples above: lines were changed")]
    OtherFingerprint,
}

/// A manifest under way: its header, then an iterator over its samples, then its summary.
///
/// Samples come strictly in the order of their paths, and the end is only reached if the summary is there and agrees with what
/// was read. The first error is the last item. One line is held at a time.
///
/// ```
/// use walkaround::manifest::Reader;
/// let error = Reader::new("m.jsonl", &b"{\"record\":\"header\",\"schema\":\"walkaround.manifest/9\"}\n"[..]).unwrap_err();
/// assert!(error.to_string().starts_with("m.jsonl, line 1: the schema is `walkaround.manifest/9`"));
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    name: String,
    input: R,
    line: u64,
    buffer: Vec<u8>,
    header: HeaderLine,
    last: Option<String>,
    samples: u64,
    fingerprint: Fingerprint,
    summary: Option<SummaryLine>,
    has_failed: bool,
}

/// What is looked at first: another version of the format may differ in everything else.
#[derive(Deserialize)]
struct Signature {
    record: Option<String>,
    schema: Option<String>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header. `name` is what errors call the manifest.
    ///
    /// # Errors
    ///
    /// What cannot be read, is no manifest, or is one of an unknown version.
    pub fn new(name: impl Into<String>, mut input: R) -> Result<Self, ReadError> {
        let (name, mut buffer) = (name.into(), Vec::new());
        match header(&mut input, &mut buffer) {
            Ok(header) => Ok(Self {
                name,
                input,
                line: 1,
                buffer,
                header,
                last: None,
                samples: 0,
                fingerprint: Fingerprint::new(),
                summary: None,
                has_failed: false,
            }),
            Err(kind) => Err(ReadError { name, line: 1, kind }),
        }
    }

    /// The manifest, as it was named.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first line.
    #[must_use]
    pub fn header(&self) -> &HeaderLine {
        &self.header
    }

    /// The last line, once the samples have been read without an error.
    #[must_use]
    pub fn summary(&self) -> Option<&SummaryLine> {
        self.summary.as_ref().filter(|_| !self.has_failed)
    }

    fn sample(&mut self) -> Result<Option<SampleLine>, ReadErrorKind> {
        if !read_line(&mut self.input, &mut self.buffer)? {
            return if self.summary.is_some() { Ok(None) } else { Err(ReadErrorKind::CutShort) };
        }
        if self.summary.is_some() {
            return Err(ReadErrorKind::Misplaced("further"));
        }
        let line = serde_json::from_slice(&self.buffer).map_err(|error| {
            // Writing stopped in the middle of a line.
            if error.is_eof() && !self.buffer.ends_with(b"\n") { ReadErrorKind::CutShort } else { ReadErrorKind::Unknown(in_line(&error)) }
        })?;
        match line {
            Line::Header(_) => Err(ReadErrorKind::Misplaced("header")),
            Line::Sample(sample) => self.accept(*sample).map(Some),
            Line::Summary(summary) => {
                self.close(summary)?;
                self.line += 1;
                self.sample()
            }
        }
    }

    fn accept(&mut self, sample: SampleLine) -> Result<SampleLine, ReadErrorKind> {
        if let Some(before) = self.last.as_ref().filter(|last| **last >= sample.path) {
            return Err(ReadErrorKind::Unsorted { path: printable(&sample.path).into_owned(), before: printable(before).into_owned() });
        }
        let hashes = [sample.blake3.as_deref(), sample.caption.as_ref().and_then(|caption| caption.blake3.as_deref())];
        if let Some(wrong) = hashes.into_iter().flatten().find(|hash| parse_hash(hash).is_none()) {
            return Err(ReadErrorKind::NoHash(printable(wrong).into_owned()));
        }
        self.fingerprint.add_line(&sample);
        self.samples += 1;
        match &mut self.last {
            Some(last) => last.clone_from(&sample.path),
            None => self.last = Some(sample.path.clone()),
        }
        Ok(sample)
    }

    fn close(&mut self, summary: SummaryLine) -> Result<(), ReadErrorKind> {
        if summary.interrupted {
            return Err(ReadErrorKind::Interrupted);
        }
        if summary.samples != self.samples {
            return Err(ReadErrorKind::OtherCount { counted: summary.samples, found: self.samples });
        }
        if summary.fingerprint != self.fingerprint.finish() {
            return Err(ReadErrorKind::OtherFingerprint);
        }
        self.summary = Some(summary);
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<SampleLine, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        self.line += 1;
        self.sample().transpose().map(|result| {
            result.map_err(|kind| {
                self.has_failed = true;
                ReadError { name: self.name.clone(), line: self.line, kind }
            })
        })
    }
}

fn header(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> Result<HeaderLine, ReadErrorKind> {
    if !read_line(input, buffer)? {
        return Err(ReadErrorKind::NoManifest("it is empty".to_owned()));
    }
    let signature: Signature = serde_json::from_slice(buffer).map_err(|error| ReadErrorKind::NoManifest(in_line(&error)))?;
    match (signature.record.as_deref(), signature.schema) {
        (Some("header"), Some(schema)) if schema == SCHEMA => {}
        (Some("header"), Some(schema)) => return Err(ReadErrorKind::UnknownSchema(printable(&schema).into_owned())),
        _ => return Err(ReadErrorKind::NoManifest("it does not begin with a header".to_owned())),
    }
    match serde_json::from_slice(buffer).map_err(|error| ReadErrorKind::Unknown(in_line(&error)))? {
        Line::Header(header) => Ok(header),
        Line::Sample(_) | Line::Summary(_) => Err(ReadErrorKind::NoManifest("it does not begin with a header".to_owned())),
    }
}

/// Reads up to the next line end; whether there was anything.
fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> Result<bool, ReadErrorKind> {
    buffer.clear();
    let read = input.take(MAX_LINE + 1).read_until(b'\n', buffer)?;
    if buffer.len() as u64 > MAX_LINE {
        return Err(ReadErrorKind::TooLong);
    }
    Ok(read > 0)
}

/// What serde says, without its place: every line is a document of its own there. Names out of the file are made printable.
fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
    printable(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"record":"header","schema":"walkaround.manifest/1","tool":"walkaround 0.1.0","roots":["set"],"trainer":"generic","settings":{"caption_extension":".txt","resolution":[1024,1024],"max_tokens":75}}"#;

    fn sample(path: &str) -> String {
        format!(
            r#"{{"record":"sample","path":"{path}","bytes":1,"blake3":null,"modified":null,"format":null,"mode":null,"bit_depth":null,"width":null,"height":null,"orientation":null,"oriented_width":null,"oriented_height":null,"frames":null,"icc":null,"alpha":null,"decode":{{"pillow":"ok","pillow_error":null,"pillow_lenient":"ok","opencv":"ok","strict":"ok","fault":null}},"pixels":null,"caption":null,"placements":{{}},"findings":[]}}"#
        )
    }

    fn summary(paths: &[&str], interrupted: bool) -> String {
        let mut fingerprint = Fingerprint::new();
        for path in paths {
            fingerprint.add(path, None, None);
        }
        format!(
            r#"{{"record":"summary","samples":{},"usable":0,"captioned":0,"bytes":0,"pixels":0,"errors":0,"warnings":0,"infos":0,"fingerprint":"{}","interrupted":{interrupted}}}"#,
            paths.len(),
            fingerprint.finish()
        )
    }

    fn read(lines: &[String]) -> Result<Vec<String>, String> {
        let text = lines.join("\n");
        let reader = Reader::new("m", text.as_bytes()).map_err(|error| error.to_string())?;
        reader.map(|line| line.map(|line| line.path).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn samples_come_between_header_and_summary() {
        let text = [HEADER.to_owned(), sample("a"), sample("b"), summary(&["a", "b"], false)].join("\n");
        let mut reader = Reader::new("m", text.as_bytes()).expect("the header is good");
        assert_eq!(reader.header().roots, ["set"]);
        assert!(reader.header().walk.is_none() && reader.summary().is_none());
        assert_eq!(reader.by_ref().map(|line| line.expect("the line is good").path).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(reader.summary().map(|summary| summary.samples), Some(2));
        assert!(reader.next().is_none());
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line() {
        let header = || HEADER.to_owned();
        let good = || summary(&["a"], false);
        for (lines, wanted) in [
            (vec![], "m, line 1: it is no manifest: it is empty"),
            (vec!["hello".to_owned()], "m, line 1: it is no manifest: expected value"),
            (vec![sample("a")], "m, line 1: it is no manifest: it does not begin with a header"),
            (vec![HEADER.replace("manifest/1", "manifest/2")], "m, line 1: the schema is `walkaround.manifest/2`"),
            (vec![HEADER.replace("\"tool\"", "\"tools\"")], "m, line 1: it is no line of walkaround.manifest/1: unknown field `tools`"),
            (vec![header()], "m, line 2: the summary is missing"),
            (vec![header(), sample("a")], "m, line 3: the summary is missing"),
            (vec![header(), sample("a")[..40].to_owned()], "m, line 2: the summary is missing"),
            (vec![header(), sample("b"), sample("a"), good()], "m, line 3: `a` does not come after `b`"),
            (vec![header(), sample("a"), sample("a"), good()], "m, line 3: `a` does not come after `a`"),
            (vec![header(), header()], "m, line 2: a header line does not belong here"),
            (vec![header(), sample("a"), good(), sample("b")], "m, line 4: a further line does not belong here"),
            (vec![header(), good()], "m, line 2: the summary counts 1 samples, and there are 0"),
            (vec![header(), sample("b"), good()], "m, line 3: the fingerprint is not that of the samples"),
            (vec![header(), sample("a"), summary(&["a"], true)], "m, line 3: the run that wrote it was interrupted"),
            (
                vec![header(), sample("a").replace("\"icc\"", "\"iccc\"")],
                "m, line 2: it is no line of walkaround.manifest/1: unknown field",
            ),
            (
                vec![header(), sample("a").replace("\"sample\"", "\"example\"")],
                "m, line 2: it is no line of walkaround.manifest/1: unknown",
            ),
            (vec![header(), sample("a").replace("\"blake3\":null", "\"blake3\":\"12\"")], "m, line 2: `12` is no BLAKE3 hash"),
            (vec![header(), String::new(), good()], "m, line 2: "),
        ] {
            let refused = read(&lines).expect_err(wanted);
            assert!(refused.starts_with(wanted), "{refused}\nis not\n{wanted}");
        }
    }

    #[test]
    fn a_line_survives_reading_and_writing() {
        let text = sample("a\\\\xFF");
        let line: Line = serde_json::from_str(&text).expect("the line is good");
        assert_eq!(serde_json::to_string(&line).expect("a line can be written"), text);
    }
}
