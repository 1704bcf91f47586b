//! The user's command: what is put in the place of `{dataset}` and `{config}`, and how a shell is asked if one is wanted.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use super::{MARKER, Places};

/// A command and its arguments, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommandLine {
    /// The program and its arguments; with a shell these are joined by spaces.
    pub words: Vec<String>,
    /// Whether a shell reads it.
    pub shell: bool,
}

impl CommandLine {
    /// Whether it names the configuration, which must then be there.
    #[must_use]
    pub fn wants_config(&self) -> bool {
        self.words.iter().any(|word| word.contains("{config}"))
    }

    /// The process to start.
    pub(super) fn prepare(&self, places: &Places) -> Command {
        let fill = |word: &str| filled(word, places, &|path| path.as_os_str().to_owned());
        let mut command = if self.shell {
            shell(&filled(&self.words.join(" "), places, &quoted))
        } else {
            let mut words = self.words.iter().map(|word| fill(word));
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            command
        };
        command.env("WALKAROUND_DATASET", &places.dataset).env(MARKER, &places.marker);
        match &places.config {
            Some(config) => command.env("WALKAROUND_CONFIG", config),
            None => command.env_remove("WALKAROUND_CONFIG"),
        };
        command
    }
}

/// A word with paths in the places of its placeholders.
fn filled(word: &str, places: &Places, write: &dyn Fn(&Path) -> OsString) -> OsString {
    let mut out = OsString::new();
    let mut rest = word;
    loop {
        let next = [("{dataset}", Some(&places.dataset)), ("{config}", places.config.as_ref())]
            .into_iter()
            .filter_map(|(name, path)| Some((rest.split_once(name)?, path?)))
            .min_by_key(|((before, _), _)| before.len());
        let Some(((before, after), path)) = next else { break };
        out.push(before);
        out.push(write(path));
        rest = after;
    }
    out.push(rest);
    out
}

#[cfg(unix)]
fn shell(line: &OsStr) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(line);
    command
}

#[cfg(windows)]
fn shell(line: &OsStr) -> Command {
    use std::os::windows::process::CommandExt as _;
    let mut command = Command::new("cmd.exe");
    // cmd reads the rest of its line itself; quotes that std would add change what it reads.
    command.arg("/S").arg("/C").raw_arg("\"").raw_arg(line).raw_arg("\"");
    command
}

#[cfg(unix)]
fn quoted(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut out = vec![b'\''];
    for &byte in path.as_os_str().as_bytes() {
        if byte == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
    OsString::from_vec(out)
}

#[cfg(not(unix))]
fn quoted(path: &Path) -> OsString {
    let mut out = OsString::from("\"");
    out.push(path);
    out.push("\"");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(dataset: &str) -> Places {
        Places { dataset: dataset.into(), config: Some("c.toml".into()), log: "log".into(), marker: "m".to_owned(), live: false }
    }

    #[test]
    fn placeholders_are_filled_wherever_they_stand() {
        let line =
            CommandLine { words: ["train", "--dir={dataset}/x", "{config}{dataset}", "{other}"].map(str::to_owned).into(), shell: false };
        let command = line.prepare(&places("/d/{config}"));
        let args: Vec<_> = command.get_args().collect();
        assert_eq!(args, ["--dir=/d/{config}/x", "c.toml/d/{config}", "{other}"]);
        let variables: Vec<_> = command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?))).collect();
        assert!(variables.contains(&("WALKAROUND_DATASET", "/d/{config}")) && variables.contains(&("WALKAROUND_CONFIG", "c.toml")));
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_gets_paths_as_one_word() {
        let line = CommandLine { words: vec!["ls {dataset} | wc".to_owned()], shell: true };
        let command = line.prepare(&places("/it's here"));
        assert_eq!(command.get_args().last().and_then(OsStr::to_str), Some("ls '/it'\\''s here' | wc"));
    }
}
