//! `taskgen doctor`: installed and missing parts, this machine's devices, the models that suit it,
//! and the speed of the embedded model.

mod bench;
mod machine;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::models;
use crate::{
    agents::command::has_sandbox,
    cli::{
        args::{self, Global},
        project::{
            Project, config,
            providers::{self, Variables},
            resolve,
            roles::DEFAULT_MODEL,
        },
        ui::{
            exit,
            output::{Printer, table},
        },
    },
    data::Message,
    embed,
    llm::{ChatRequest, LocalModel},
};

/// Speech models that a run needs.
const SPEECH: [&str; 2] = ["tiny.en", "base"];
/// Variables that keys are looked for in. Their values are not shown.
const KEYS: [&str; 9] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "SERPAPI_API_KEY",
    "BRAVE_SEARCH_API_KEY",
    "TAVILY_API_KEY",
    "GOOGLE_SEARCH_API_KEY",
];
/// Sentences that the embedded model reads for the measurement.
const SENTENCES: usize = 12;
/// Characters that it then writes.
const WRITTEN: usize = 200;

#[derive(Serialize)]
struct Finding {
    what: String,
    fine: bool,
    found: String,
    hint: Option<String>,
}

/// Checks the installation, measures the speed, and prints hints for missing parts.
pub fn doctor(global: &Global, args: &args::Doctor, printer: &Printer) -> Result<u8> {
    if args.bench {
        return bench::run(global, args, printer);
    }
    // A configuration that cannot be read is the first thing to mend. Outside a project the
    // defaults are looked at.
    let mut config = match Project::find_if_any(global)? {
        Some(project) => project.loaded.config,
        None => config::load(None)?.config,
    };
    if let Some(device) = &args.device {
        config.transcribe.device.clone_from(device);
    }
    let variables = Variables::read(&global.env_file)?;
    let local = DEFAULT_MODEL.trim_start_matches("local/");
    let mut findings = vec![program(), model(global, local)];
    if findings.iter().all(|finding| finding.fine) {
        findings.push(speed(global, local));
    }
    findings.extend(SPEECH.map(|name| model(global, name)));
    findings.push(model(global, embed::MODEL));
    findings.extend(machine::findings(&config.transcribe)?);
    findings.push(sandbox());
    for name in KEYS {
        let is_set = variables.get(name).is_some_and(|value| !value.is_empty());
        let found = if is_set {
            "set"
        } else {
            "not set; only its own provider needs it"
        };
        findings.push(Finding {
            what: name.into(),
            fine: true,
            found: found.into(),
            hint: None,
        });
    }
    let well = findings.iter().all(|finding| finding.fine);
    printer.show(&findings, |findings| {
        let mut rows = table(&["what", "", "found"]);
        for finding in findings {
            let hint = finding
                .hint
                .as_ref()
                .map_or_else(String::new, |hint| format!("\nhint: {hint}"));
            let mark = if finding.fine { "ok" } else { "missing" };
            rows.add_row(vec![
                finding.what.clone(),
                mark.to_owned(),
                format!("{}{hint}", finding.found),
            ]);
        }
        rows.to_string()
    })?;
    Ok(if well { exit::DONE } else { exit::NO_MODEL })
}

fn finding(what: &str, found: Result<String, (String, String)>) -> Finding {
    match found {
        Ok(found) => Finding {
            what: what.into(),
            fine: true,
            found,
            hint: None,
        },
        Err((found, hint)) => Finding {
            what: what.into(),
            fine: false,
            found,
            hint: Some(hint),
        },
    }
}

fn program() -> Finding {
    let found = providers::local_program()
        .map(|path| path.display().to_string())
        .map_err(|e| {
            (
                e.to_string(),
                "build with the feature `embedded-llm`".to_owned(),
            )
        });
    finding("taskgen-llm, the built-in model's program", found)
}

fn model(global: &Global, name: &str) -> Finding {
    let found = match models::here(global, name) {
        Ok(Some(file)) => Ok(format!("{}, checked", file.path.display())),
        Ok(None) => Err((
            "not on this machine".to_owned(),
            format!("`taskgen models pull {name}`"),
        )),
        Err(e) => Err((format!("{e:#}"), format!("`taskgen models pull {name}`"))),
    };
    finding(&format!("model {name}"), found)
}

/// Whether agents that are programs are kept from the user's files. Without it they run all the
/// same.
fn sandbox() -> Finding {
    let found = if has_sandbox() {
        "Landlock; `sandbox = \"off\"` in an agent's section switches it off"
    } else {
        "none, this kernel has no Landlock: agents can read what you can read"
    };
    Finding {
        what: "sandbox of agents".into(),
        fine: true,
        found: found.into(),
        hint: None,
    }
}

fn speed(global: &Global, name: &str) -> Finding {
    let measured =
        providers::embedded(global, name).and_then(|model| resolve::block_on(measure(model)));
    let measured = measured.map_err(|e| {
        (
            format!("{e:#}"),
            "the built-in model does not run here".to_owned(),
        )
    });
    finding("speed of the built-in model", measured)
}

/// The speed of the model: it reads a prompt of some hundred tokens and writes some hundred
/// characters.
async fn measure(model: LocalModel) -> Result<String> {
    let text =
        "The gravel of a river bed moves in a flood and sounds like a drum. ".repeat(SENTENCES);
    let request = ChatRequest {
        messages: vec![Message {
            role: "user".into(),
            content: format!("{text}Describe what is heard."),
        }],
        schema: json!({ "type": "string", "minLength": WRITTEN, "maxLength": WRITTEN }),
        schema_name: "text".into(),
        max_tokens: WRITTEN as u32,
        temperature: 0.0,
        seed: 0,
        search: false,
        offered: Vec::new(),
    };
    let (reply, name) = model.ask(&request, true).await?;
    let hello = model.hello().await?;
    let a_second = |tokens: u64, ms: u64| tokens as f64 * 1e3 / ms.max(1) as f64;
    Ok(format!(
        "{name}: {:.0} prompt tokens a second, {:.0} reply tokens a second; threads: {}",
        a_second(reply.input - reply.cached, reply.read_ms),
        a_second(reply.output, reply.write_ms),
        hello.threads
    ))
}
