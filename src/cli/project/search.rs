//! The search of the web from `[search]`: provider, server and key.

use anyhow::{Context as _, Result};

use super::{Project, config, providers::Variables, settings::Search};
use crate::{
    cli::{
        args::Global,
        ui::{exit::Usage, output::Printer},
    },
    files,
    search::{SearchError, SearchKey, SearchOptions, SearchProvider, Searcher},
};

/// The search of a project. A dry run and a replay send nothing, and need no key.
pub fn searcher(global: &Global, project: &Project, printer: &Printer) -> Result<Searcher> {
    let settings = &project.loaded.config.search;
    let Some(provider) = settings.provider else {
        return Err(Usage(format!(
            "no search of the web is configured\nhint: `provider` in [search] of `{}`: brave, serpapi, tavily, google, or local for a file",
            config::FILE
        ))
        .into());
    };
    let stored_only = global.replay || global.dry_run;
    let key = if stored_only {
        None
    } else {
        key(global, settings, provider)?
    };
    if !stored_only && let Some(public) = provider.server() {
        let server = settings.base_url.as_deref().unwrap_or(public);
        let with = key.as_ref().map_or_else(
            || "without a key".to_owned(),
            |key| format!("with the key in `{}`", key.variable),
        );
        // Said even to who wants quiet: a project from elsewhere may name any host and any key.
        printer.error(&format!(
            "searches go to {server} ({}), {with}",
            provider.word()
        ));
    }
    if let Some(file) = &settings.file {
        let folder = project
            .loaded
            .file
            .as_deref()
            .and_then(|file| file.parent());
        // The configuration may come from elsewhere; what the file says may go to a model.
        if let Some(folder) = folder
            && file.exists()
            && !files::is_inside(folder, file)?
        {
            return Err(Usage(format!(
                "`search.file` leads out of the project: `{}`\nhint: copy it into the project",
                file.display()
            ))
            .into());
        }
    }
    let searcher = Searcher::new(SearchOptions {
        base_url: settings.base_url.clone(),
        key,
        engine_id: settings.engine_id.clone(),
        file: settings.file.clone(),
        offline: global.offline,
        stored_only,
        ..SearchOptions::new(provider)
    });
    searcher
        .map_err(|error| Usage(format!("{error:#}")))
        .context("[search]")
}

/// The key, if one is needed: the public servers want one; one's own gets that which is named.
fn key(global: &Global, settings: &Search, provider: SearchProvider) -> Result<Option<SearchKey>> {
    let usual = match settings.base_url {
        None => provider.key_variable(),
        Some(_) => None,
    };
    let Some(variable) = settings.key_env.as_deref().or(usual) else {
        return Ok(None);
    };
    let variable = variable.to_owned();
    match Variables::read(&global.env_file)?.get(&variable) {
        Some(value) => Ok(Some(SearchKey { value, variable })),
        None => Err(SearchError::NoKey { variable }.into()),
    }
}
