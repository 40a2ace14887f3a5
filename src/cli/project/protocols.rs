//! What the servers of providers speak, by the configuration and by name, and what an agent may set
//! for which of them. Asks nobody and reads no key.

use super::settings::{AgentConfig, Config};
use crate::llm::{Provider, Research, is_deep_research};

/// What the server of a model speaks, where there is a server.
pub fn protocol(config: &Config, name: &str) -> Option<Provider> {
    let (provider, model) = name.split_once('/').unwrap_or((name, ""));
    match (config.providers.get(provider), provider) {
        (Some(known), _) => Some(known.kind),
        (None, "local" | "code") => None,
        (None, _) => Some(usual(provider, model)),
    }
}

/// What the server of a provider speaks that has no entry in the configuration.
pub fn usual(provider: &str, model: &str) -> Provider {
    match provider {
        "anthropic" => Provider::Anthropic,
        "gemini" => Provider::Gemini,
        "xai" => Provider::Xai,
        "perplexity" => Provider::Perplexity,
        "openai-responses" => Provider::Responses,
        // Those for deep research are not to be had otherwise.
        "openai" if is_deep_research(model) => Provider::Responses,
        _ => Provider::OpenAi,
    }
}

/// Checks how an agent's model is to search and think against what its provider takes.
pub fn check_research(config: &Config, settings: &AgentConfig) -> Result<(), String> {
    let research = settings.research();
    let name = settings.model.as_deref().unwrap_or_default();
    match protocol(config, name) {
        Some(provider) => research.check(provider),
        None if research == Research::default() => Ok(()),
        None => Err("search, reasoning and background are for a model behind a server".into()),
    }
}
