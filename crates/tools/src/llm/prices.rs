//! Prices of calls: a table per model, built in, or the project's own `prices.toml`. An unknown
//! price is unknown, never zero.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::data::Usage;

const EMBEDDED: &str = include_str!("../../../../models/prices.toml");

/// Prices of models, with the version of the table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Which table a cost was computed with.
    pub version: String,
    #[serde(rename = "price", default)]
    entries: Vec<Price>,
}

/// US dollars per million tokens of one model, or of all models with a common prefix.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    model: String,
    /// Prompt tokens.
    input: f64,
    /// Prompt tokens that the provider had read before; as `input` where it is left out.
    cached: Option<f64>,
    /// Reply tokens.
    output: f64,
    /// US dollars per thousand searches of the web; unknown where it is left out.
    search: Option<f64>,
}

impl Prices {
    /// The built-in table.
    pub fn embedded() -> Result<Self> {
        Self::parse(EMBEDDED).context("the built-in prices")
    }

    /// The built-in table, with the prices of `file` where there is one: where both name a model,
    /// the file counts.
    pub fn load(file: &Path) -> Result<Self> {
        let built_in = Self::embedded()?;
        if !file.is_file() {
            return Ok(built_in);
        }
        let text = fs_err::read_to_string(file)?;
        let mut own = Self::parse(&text)
            .with_context(|| format!("the prices cannot be used: `{}`", file.display()))?;
        let news =
            |price: &Price, own: &Self| !own.entries.iter().any(|known| known.model == price.model);
        let rest: Vec<Price> = built_in
            .entries
            .into_iter()
            .filter(|price| news(price, &own))
            .collect();
        own.entries.extend(rest);
        Ok(own)
    }

    fn parse(text: &str) -> Result<Self> {
        let prices: Self = toml::from_str(text)?;
        for price in &prices.entries {
            let numbers = [
                Some(price.input),
                price.cached,
                Some(price.output),
                price.search,
            ];
            anyhow::ensure!(
                numbers
                    .into_iter()
                    .flatten()
                    .all(|n| n.is_finite() && n >= 0.0),
                "a price must be 0 or more: `{}`",
                price.model
            );
        }
        Ok(prices)
    }

    /// The price of `model`, a `provider/model`; the longest name that fits counts.
    pub fn find(&self, model: &str) -> Option<&Price> {
        let fits = |price: &&Price| match price.model.strip_suffix('*') {
            Some(start) => model.starts_with(start),
            None => model == price.model,
        };
        self.entries
            .iter()
            .filter(fits)
            .max_by_key(|price| price.model.len())
    }

    /// The price of `model`; of one that may `search` the web, only where that has a price, too.
    pub fn find_for(&self, model: &str, search: bool) -> Option<&Price> {
        self.find(model)
            .filter(|price| !search || price.search.is_some())
    }
}

impl Price {
    /// Micro-dollars for `usage`, rounded up.
    pub fn micro(&self, usage: Usage) -> u64 {
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        let cached = usage.cached as f64 * self.cached.unwrap_or(self.input);
        let searches = usage.searches as f64 * self.search.unwrap_or_default() * 1e3;
        (fresh * self.input + cached + usage.output as f64 * self.output + searches).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_tokens_cost_what_the_table_says() {
        let prices = Prices::embedded().expect("the built-in table parses");
        let price = prices.find("openai/gpt-4o-mini").expect("it is there");
        let usage = |input, output, cached| Usage {
            input,
            output,
            cached,
            searches: 0,
        };
        assert_eq!(price.micro(usage(1_000_000, 1_000_000, 0)), 750_000);
        assert_eq!(price.micro(usage(1_000_000, 0, 1_000_000)), 75_000);
        assert_eq!(
            prices
                .find("local/anything")
                .expect("free")
                .micro(usage(9, 9, 0)),
            0
        );
        assert_eq!(prices.find("openai/unheard-of"), None);
    }

    #[test]
    fn a_search_costs_what_the_table_says_or_nobody_knows() {
        let prices = Prices::embedded().expect("the built-in table parses");
        let sonnet = prices
            .find_for("anthropic/claude-sonnet-4-5", true)
            .expect("it is there");
        assert_eq!(
            sonnet.micro(Usage {
                searches: 3,
                ..Usage::default()
            }),
            30_000
        );
        assert!(prices.find_for("openai/gpt-4o-mini", false).is_some());
        assert_eq!(prices.find_for("openai/gpt-4o-mini", true), None);
    }

    #[test]
    fn a_project_adds_its_prices_to_the_built_in_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("prices.toml");
        let text = "version = \"mine\"\n[[price]]\nmodel = \"openai/gpt-4o-mini\"\ninput = 7\noutput = 1\n";
        std::fs::write(&file, text).expect("writable");
        let prices = Prices::load(&file).expect("it parses");
        assert_eq!(
            prices.find("openai/gpt-4o-mini").map(|price| price.input),
            Some(7.0)
        );
        assert!(prices.find("local/anything").is_some());
    }

    #[test]
    fn the_longest_name_counts_and_nonsense_is_refused() {
        let table = |rest: &str| Prices::parse(&format!("version = \"x\"\n{rest}"));
        let entry = |model: &str, input: f64| {
            format!("[[price]]\nmodel = \"{model}\"\ninput = {input}\noutput = 1\n")
        };
        let two = table(&(entry("a/*", 1.0) + &entry("a/b*", 2.0))).expect("it parses");
        assert_eq!(two.find("a/bc").map(|p| p.input), Some(2.0));
        assert_eq!(two.find("a/c").map(|p| p.input), Some(1.0));
        assert!(table(&entry("a/b", -1.0)).is_err());
        assert!(table("[[price]]\nmodel = \"a\"\n").is_err());
    }
}
