//! What in a command's output makes its trial good or bad before it ends.

use regex::bytes::{Regex, RegexBuilder};
use thiserror::Error;

use crate::bisect::Verdict;

/// Patterns for lines of output. The first line that matches one decides; on one line bad wins over good.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    bad: Vec<Regex>,
    good: Vec<Regex>,
}

/// A pattern that cannot be used.
#[derive(Debug, Error)]
#[error("`{pattern}` is no valid pattern: {source}")]
pub struct PatternError {
    pattern: String,
    source: regex::Error,
}

impl Judge {
    /// A judge from regular expressions, and from conditions such as `loss=nan`: a name that ends so, `=` or `:`, and a value,
    /// in any case. A condition without `=` is a regular expression.
    pub fn new(bad_when: &[String], good_when: &[String], also_bad: &[String]) -> Result<Self, PatternError> {
        let plain = |patterns: &[String]| patterns.iter().map(|pattern| compile(pattern, pattern)).collect::<Result<Vec<_>, _>>();
        let mut bad = plain(bad_when)?;
        for condition in also_bad {
            bad.push(match condition.split_once('=') {
                Some((name, value)) => {
                    let escape = |text: &str| regex::escape(text.trim());
                    compile(condition, &format!(r#"(?i){}["']?\s*[=:]\s*{}(?:\W|$)"#, escape(name), escape(value)))?
                }
                None => compile(condition, condition)?,
            });
        }
        Ok(Self { bad, good: plain(good_when)? })
    }

    /// What a line says.
    pub(super) fn verdict(&self, line: &[u8]) -> Option<Verdict> {
        let has = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(line));
        if has(&self.bad) {
            Some(Verdict::Bad)
        } else if has(&self.good) {
            Some(Verdict::Good)
        } else {
            None
        }
    }

    /// Whether no line says anything.
    pub(super) fn is_empty(&self) -> bool {
        self.bad.is_empty() && self.good.is_empty()
    }
}

fn compile(typed: &str, pattern: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(pattern).build().map_err(|source| PatternError { pattern: typed.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_find_names_that_end_so_and_whole_values() {
        let judge = Judge::new(&[], &[], &["loss=nan".to_owned()]).expect("the condition can be used");
        for line in ["steps: 3%, avr_loss=nan]", "'loss': nan, 'lr': 1", "Loss: NaN", "loss = nan"] {
            assert_eq!(judge.verdict(line.as_bytes()), Some(Verdict::Bad), "{line}");
        }
        for line in ["loss=0.1", "loss=nanometre", "nan"] {
            assert_eq!(judge.verdict(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn bad_wins_on_one_line() {
        let judge = Judge::new(&["err".to_owned()], &["250/".to_owned()], &[]).expect("the patterns can be used");
        assert_eq!(judge.verdict(b"250/300"), Some(Verdict::Good));
        assert_eq!(judge.verdict(b"250/300 err"), Some(Verdict::Bad));
        assert!(Judge::new(&["(".to_owned()], &[], &[]).is_err());
    }
}
