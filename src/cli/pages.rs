//! `walkaround rules` and `walkaround explain`.

use std::io::Write as _;

use anyhow::bail;
use serde_json::json;
use walkaround::checks::{self, ALL};
use walkaround::settings::Selector;

use super::args::{ExplainOptions, PageFormat, RulesOptions};
use super::exit::Exit;
use super::output;

/// Lists all checks.
pub(super) fn rules(options: &RulesOptions) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    match options.format {
        PageFormat::Text => {
            for check in ALL {
                let summary = check.summary().split(". ").next().unwrap_or_default().replace("\n ", " ");
                writeln!(out, "{}  {:<8} {:<30} {}", check.code, check.level.name(), check.name, summary.trim_end_matches('.'))?;
            }
        }
        PageFormat::Json => {
            let list: Vec<_> = ALL
                .iter()
                .map(|check| {
                    json!({
                        "code": check.code.0,
                        "name": check.name,
                        "family": check.family().name(),
                        "level": check.level.name(),
                        "since": check.since,
                        "summary": check.summary().replace("\n ", " "),
                    })
                })
                .collect();
            serde_json::to_writer_pretty(&mut out, &list).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// Explains checks.
pub(super) fn explain(options: &ExplainOptions) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    for (number, wanted) in options.checks.iter().enumerate() {
        let Some(check) = checks::find(wanted) else {
            match Selector::parse(wanted) {
                Ok(_) => bail!("`{wanted}` is more than one check; `walkaround rules` lists them"),
                Err(error) => bail!(error),
            }
        };
        if number > 0 {
            writeln!(out)?;
        }
        out.write_all(checks::page(check).as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}
