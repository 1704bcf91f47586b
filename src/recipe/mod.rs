//! A trainer's own configuration: what it trains on, how, and what is wrong with it.
//!
//! Pure: [`read`] is given the bytes of the configuration and two closures, one that opens the files it refers to and one that looks
//! up environment variables. What it hands on is plain data; whether folders exist, and what lies in them, is for others to see.
//!
//! [`document`] turns four syntaxes into one tree with places, `recognise` tells whose configuration it is, `schema` holds a table
//! against a list of keys, and there is one reader for each trainer.

pub mod document;

mod ai_toolkit;
mod diffusers;
mod diffusion_pipe;
mod kohya;
mod musubi;
mod onetrainer;
mod plan;
mod reader;
mod recognise;
mod schema;
mod sections;
mod simpletuner;

use std::io;

use thiserror::Error;

pub use plan::{DatasetRecipe, Layout, Media, PathText, Recipe, RecipeSetting, Role};
pub use recognise::{TRAINERS, recognise};

use crate::model::nearest;
use document::{Document, Syntax};
use reader::{Reader, Source};

/// Why a configuration cannot be read at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The keys are those of no trainer.
    #[error("{file}: cannot tell which trainer this configuration is for; name it with --trainer ({})", TRAINERS.join(", "))]
    UnknownTrainer {
        /// The file.
        file: String,
    },
    /// The keys are those of several trainers.
    #[error("{file}: this may be a configuration of {}; name the trainer with --trainer", .candidates.join(" or "))]
    AmbiguousTrainer {
        /// The file.
        file: String,
        /// The trainers that come into question.
        candidates: Vec<&'static str>,
    },
    /// The trainer that was named has no reader.
    #[error("no configuration of `{name}` can be read{}; known are {}", .nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default(), TRAINERS.join(", "))]
    NoReader {
        /// What was named.
        name: String,
        /// The trainer that comes closest.
        nearest: Option<&'static str>,
    },
    /// The extension is that of no syntax.
    #[error("{file}: a configuration is .toml, .yaml, .json, .jsonc, or a command line in .sh, .bat, .ps1 or .txt")]
    UnknownSyntax {
        /// The file.
        file: String,
    },
}

/// Reads a configuration.
///
/// `trainer` is what the user named, with or without a version behind `@`; without it the trainer is told from the keys. `load`
/// opens a file that the configuration names, and `env` looks up an environment variable.
pub fn read(
    file_name: &str,
    bytes: &[u8],
    trainer: Option<&str>,
    load: &dyn Fn(&str) -> io::Result<Vec<u8>>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Recipe, RecipeError> {
    let syntax = Syntax::of_name(file_name).ok_or_else(|| RecipeError::UnknownSyntax { file: file_name.to_owned() })?;
    let named = match trainer.map(|text| text.split('@').next().unwrap_or(text)) {
        None | Some("generic") => None,
        Some(name) => Some(
            TRAINERS
                .into_iter()
                .find(|known| *known == name)
                .ok_or_else(|| RecipeError::NoReader { name: name.to_owned(), nearest: nearest(name, TRAINERS, 0.7) })?,
        ),
    };
    let parsed = Document::parse(bytes, syntax);
    let trainer = match (named, &parsed) {
        (Some(name), _) => name,
        (None, Ok(document)) => {
            let script = if syntax == Syntax::Command { Document::commands(bytes).map(|command| command.script).ok() } else { None };
            let folder = file_name.rfind(['/', '\\']).and_then(|at| file_name.get(..=at)).unwrap_or_default();
            let beside = |name: &str| load(&format!("{folder}{name}")).or_else(|_| load(name));
            let candidates = recognise(script.as_deref().unwrap_or_default(), document, &beside);
            match candidates.as_slice() {
                [] => return Err(RecipeError::UnknownTrainer { file: file_name.to_owned() }),
                [one] => *one,
                several => return Err(RecipeError::AmbiguousTrainer { file: file_name.to_owned(), candidates: several.to_vec() }),
            }
        }
        // What cannot be parsed has no keys; the words in it still say whose it is, and if not, whose does not matter.
        (None, Err(_)) => recognise::by_words(&String::from_utf8_lossy(bytes)),
    };
    drop(parsed);
    let mut reader = Reader::new(trainer, load, env);
    let Some(source) = reader.parse(file_name, bytes, syntax) else { return Ok(reader.recipe) };
    if !source.script.is_empty() {
        reader.recipe.script = Some(source.script.clone());
    }
    read_as(trainer, &mut reader, &source);
    Ok(reader.recipe)
}

fn read_as(trainer: &str, reader: &mut Reader<'_>, source: &Source) {
    match trainer {
        "kohya" => kohya::read(reader, source),
        "musubi" => musubi::read(reader, source),
        "ai-toolkit" => ai_toolkit::read(reader, source),
        "onetrainer" => onetrainer::read(reader, source),
        "simpletuner" => simpletuner::read(reader, source),
        "diffusers" => diffusers::read(reader, source),
        _ => diffusion_pipe::read(reader, source),
    }
}
