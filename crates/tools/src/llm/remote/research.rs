//! How a model searches the web and thinks, as its user sets it: settings of a fixed shape, and
//! which provider takes which. Hides the providers' own limits. How each provider words them is in
//! its dialect.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MOST_SEARCHES, Provider};
use crate::llm::ChatRequest;

/// Tool calls of a model that searches, where its provider takes a limit and the user sets none.
const MOST_CALLS: u32 = 20;
/// The same of a deep-research model, which lives by searching.
const MOST_CALLS_OF_DEEP_RESEARCH: u32 = 60;
/// Turns of a model whose provider limits turns and not calls.
const MOST_TURNS: u32 = 10;
/// Searches that a budget reserves for such a turn: a model may make several at once, so that this
/// is an estimate and no bound.
const SEARCHES_A_TURN: u32 = 3;

/// How a model searches and thinks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Research {
    /// How it searches.
    pub search: SearchSettings,
    /// How much it thinks.
    pub reasoning: Option<Effort>,
    /// Whether the provider makes its reply in the background, where it can and unless this says
    /// otherwise.
    pub background: Option<bool>,
}

/// How a model searches the web. Each provider takes some of it; what it does not take is refused
/// before anything is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    /// How much of what is found the model reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextSize>,
    /// What is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SearchMode>,
    /// Only pages of these domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// No pages of these domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_domains: Vec<String>,
    /// Only what is so new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency: Option<Recency>,
    /// Only what was published on this day or later, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Only what was published on this day or before, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only pages in these languages, each of two letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The country to search from, of two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Whether posts on X are searched, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<bool>,
    /// Only posts of these accounts on X.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<String>,
    /// No posts of these accounts on X.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_handles: Vec<String>,
    /// How hard Perplexity's agent works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The most calls of tools, or the most turns, for one reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}

/// How much of what is found is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSize {
    /// Little, and cheap.
    Low,
    /// As usual.
    Medium,
    /// Much.
    High,
}

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// The web.
    Web,
    /// Papers.
    Academic,
    /// Filings with the American SEC.
    Sec,
}

/// How new a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recency {
    /// Of the last hour.
    Hour,
    /// Of the last day.
    Day,
    /// Of the last week.
    Week,
    /// Of the last month.
    Month,
    /// Of the last year.
    Year,
}

/// How hard Perplexity's agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// One quick search.
    Fast,
    /// A few steps.
    Low,
    /// Some steps.
    Medium,
    /// Many steps.
    High,
    /// As many as it takes.
    XHigh,
}

/// How much a model thinks before and while it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    XHigh,
}

/// Which providers take a setting.
struct Taken {
    name: &'static str,
    is_set: bool,
    by: &'static [Provider],
}

impl Research {
    /// What of it can change a reply, for the record; none where nothing is set. Whether the reply
    /// is made in the background changes nothing.
    pub fn key(&self) -> Option<Value> {
        let mut key = serde_json::to_value(&self.search).unwrap_or_default();
        if let Some(effort) = self.reasoning {
            key["reasoning"] = serde_json::to_value(effort).unwrap_or_default();
        }
        key.as_object()
            .is_some_and(|fields| !fields.is_empty())
            .then_some(key)
    }

    /// Whether the reply to such a question is made in the background: only a free text is.
    pub(super) fn is_background(&self, provider: Provider, request: &ChatRequest) -> bool {
        request.is_text() && provider.has_background() && self.background != Some(false)
    }

    /// The most calls of tools, or turns, for one reply.
    pub fn most(&self, provider: Provider, model: &str) -> u32 {
        let usual = match provider {
            Provider::Responses if is_deep_research(model) => MOST_CALLS_OF_DEEP_RESEARCH,
            Provider::Responses => MOST_CALLS,
            Provider::Xai | Provider::Perplexity => MOST_TURNS,
            _ => MOST_SEARCHES,
        };
        self.search.most.unwrap_or(usual)
    }

    /// Searches that a budget reserves for one reply: a bound where the provider limits calls, an
    /// estimate where it limits turns.
    pub fn searches(&self, provider: Provider, model: &str) -> u32 {
        let most = self.most(provider, model);
        match provider {
            Provider::Xai | Provider::Perplexity => most.saturating_mul(SEARCHES_A_TURN),
            _ => most,
        }
    }

    /// Checks the settings for a provider; the error names the setting.
    ///
    /// # Errors
    /// A setting that the provider does not take, or a value outside its limits.
    pub fn check(&self, provider: Provider) -> Result<(), String> {
        for taken in self.taken() {
            if taken.is_set && !taken.by.contains(&provider) {
                let takers: Vec<&str> = taken.by.iter().map(|of| of.word()).collect();
                return Err(format!(
                    "{} is not for the protocol `{}`; it is for: {}",
                    taken.name,
                    provider.word(),
                    takers.join(", ")
                ));
            }
        }
        self.search.check(provider)
    }

    fn taken(&self) -> [Taken; 16] {
        use Provider::{Anthropic, OpenAi, Perplexity, Responses, Sonar, Xai};
        const DOMAINS: &[Provider] = &[Responses, Xai, Perplexity, Sonar, Anthropic];
        const DATES: &[Provider] = &[Perplexity, Sonar, Xai];
        let of = &self.search;
        let taken = |name, is_set, by| Taken { name, is_set, by };
        [
            taken("context", of.context.is_some(), &[OpenAi, Responses, Sonar]),
            taken("mode", of.mode.is_some(), &[Sonar]),
            taken("domains", !of.domains.is_empty(), DOMAINS),
            taken("without_domains", !of.without_domains.is_empty(), DOMAINS),
            taken("recency", of.recency.is_some(), &[Perplexity, Sonar]),
            taken("after", of.after.is_some(), DATES),
            taken("before", of.before.is_some(), DATES),
            taken("languages", !of.languages.is_empty(), &[Perplexity, Sonar]),
            taken(
                "country",
                of.country.is_some(),
                &[OpenAi, Responses, Perplexity, Sonar, Anthropic],
            ),
            taken("x", of.x.is_some(), &[Xai]),
            taken("handles", !of.handles.is_empty(), &[Xai]),
            taken("without_handles", !of.without_handles.is_empty(), &[Xai]),
            taken("preset", of.preset.is_some(), &[Perplexity]),
            taken(
                "most",
                of.most.is_some(),
                &[Responses, Xai, Perplexity, Anthropic],
            ),
            taken(
                "reasoning",
                self.reasoning.is_some(),
                &[Responses, Xai, Perplexity],
            ),
            taken(
                "background",
                self.background == Some(true),
                &[Responses, Perplexity],
            ),
        ]
    }
}

impl SearchSettings {
    fn check(&self, provider: Provider) -> Result<(), String> {
        let (most_domains, most) = match provider {
            Provider::Responses => (100, 500),
            Provider::Xai => (5, 100),
            Provider::Anthropic => (100, 10),
            _ => (20, 100),
        };
        one_of_two("domains", &self.domains, &self.without_domains)?;
        one_of_two("handles", &self.handles, &self.without_handles)?;
        for (name, list) in [
            ("domains", &self.domains),
            ("without_domains", &self.without_domains),
        ] {
            no_more_than(name, list, most_domains)?;
            each(name, list, "a domain such as `example.org`", is_domain)?;
        }
        for (name, list) in [
            ("handles", &self.handles),
            ("without_handles", &self.without_handles),
        ] {
            no_more_than(name, list, 10)?;
            each(name, list, "an account without its @", is_handle)?;
        }
        no_more_than("languages", &self.languages, 10)?;
        let two_letters = "two letters such as `en`";
        each("languages", &self.languages, two_letters, |text| {
            is_two_letters(text, char::is_lowercase)
        })?;
        each(
            "country",
            &self.country,
            "two letters such as `DE`",
            |text| is_two_letters(text, char::is_uppercase),
        )?;
        each("after", &self.after, "a day as YYYY-MM-DD", |text| {
            day(text).is_some()
        })?;
        each("before", &self.before, "a day as YYYY-MM-DD", |text| {
            day(text).is_some()
        })?;
        let has_day = self.after.is_some() || self.before.is_some();
        if self.recency.is_some() && has_day {
            return Err("it takes `recency`, or `after` and `before`, not both".into());
        }
        let of_x = has_day || !self.handles.is_empty() || !self.without_handles.is_empty();
        if provider == Provider::Xai && of_x && self.x != Some(true) {
            return Err(
                "after, before, handles and without_handles are for posts on X: say `x = true`"
                    .into(),
            );
        }
        match self.most {
            Some(wanted) if !(1..=most).contains(&wanted) => {
                Err(format!("most must be 1 to {most}: `{wanted}`"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a model is one for deep research, by its name.
pub fn is_deep_research(model: &str) -> bool {
    model.contains("deep-research")
}

/// A day as it is written in settings.
pub(super) fn day(text: &str) -> Option<jiff::civil::Date> {
    let is_day = text.len() == 10 && text.bytes().filter(|b| *b == b'-').count() == 2;
    text.parse().ok().filter(|_| is_day)
}

fn one_of_two(name: &str, with: &[String], without: &[String]) -> Result<(), String> {
    if with.is_empty() || without.is_empty() {
        return Ok(());
    }
    Err(format!("it takes `{name}` or `without_{name}`, not both"))
}

fn no_more_than(name: &str, list: &[String], most: usize) -> Result<(), String> {
    if list.len() <= most {
        return Ok(());
    }
    Err(format!("{name} has {} entries, over {most}", list.len()))
}

fn each<'a>(
    name: &str,
    list: impl IntoIterator<Item = &'a String>,
    what: &str,
    fits: impl Fn(&str) -> bool,
) -> Result<(), String> {
    match list.into_iter().find(|text| !fits(text)) {
        Some(odd) => Err(format!("{name} needs {what}: `{odd}`")),
        None => Ok(()),
    }
}

/// A name of a host, without scheme, path and port.
fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    text.len() <= 253 && text.contains('.') && text.split('.').all(is_label)
}

fn is_handle(text: &str) -> bool {
    (1..=30).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_two_letters(text: &str, case: impl Fn(char) -> bool) -> bool {
    text.len() == 2 && text.chars().all(|c| c.is_ascii_alphabetic() && case(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(provider: Provider, text: &str) -> Result<(), String> {
        let search = toml::from_str(text).expect("it parses");
        let research = Research {
            search,
            ..Research::default()
        };
        research.check(provider)
    }

    #[test]
    fn each_provider_takes_its_own_settings() {
        use Provider::{Anthropic, Gemini, OpenAi, Perplexity, Responses, Sonar, Xai};
        let good = [
            (
                Responses,
                "context = \"high\"\ndomains = [\"a.org\"]\ncountry = \"DE\"\nmost = 40",
            ),
            (
                Xai,
                "x = true\nhandles = [\"nasa\"]\nafter = \"2026-01-02\"\nmost = 3",
            ),
            (
                Perplexity,
                "recency = \"week\"\nlanguages = [\"zh\"]\npreset = \"xhigh\"",
            ),
            (
                Perplexity,
                "after = \"2026-01-02\"\nbefore = \"2026-02-01\"",
            ),
            (
                Sonar,
                "mode = \"academic\"\ncontext = \"low\"\nwithout_domains = [\"b.org\"]",
            ),
            (Anthropic, "domains = [\"例子.中国\"]\nmost = 10"),
            (OpenAi, "context = \"low\""),
            (Gemini, ""),
        ];
        for (provider, text) in good {
            assert_eq!(check(provider, text), Ok(()), "{text}");
        }
        let wrong = [
            (
                OpenAi,
                "domains = [\"a.org\"]",
                "domains is not for the protocol `openai`",
            ),
            (Gemini, "most = 2", "most is not for"),
            (Responses, "recency = \"week\"", "recency is not for"),
            (
                Responses,
                "domains = [\"https://a.org/x\"]",
                "needs a domain",
            ),
            (
                Responses,
                "domains = [\"a.org\"]\nwithout_domains = [\"b.org\"]",
                "not both",
            ),
            (Responses, "most = 0", "most must be 1 to 500"),
            (Xai, "handles = [\"nasa\"]", "say `x = true`"),
            (
                Xai,
                "domains = [\"a.b\", \"a.c\", \"a.d\", \"a.e\", \"a.f\", \"a.g\"]",
                "over 5",
            ),
            (
                Perplexity,
                "recency = \"day\"\nafter = \"2026-01-02\"",
                "not both",
            ),
            (Perplexity, "after = \"2026-13-02\"", "after needs a day"),
            (
                Perplexity,
                "languages = [\"EN\"]",
                "languages needs two letters",
            ),
            (Sonar, "country = \"de\"", "country needs two letters"),
        ];
        for (provider, text, why) in wrong {
            let said = check(provider, text).expect_err(text);
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(toml::from_str::<SearchSettings>("contxt = \"low\"").is_err());
    }

    #[test]
    fn what_can_change_a_reply_is_part_of_its_key() {
        let mut research = Research {
            background: Some(true),
            ..Research::default()
        };
        assert_eq!(research.key(), None);
        research.reasoning = Some(Effort::High);
        research.search.recency = Some(Recency::Week);
        let key = serde_json::json!({ "recency": "week", "reasoning": "high" });
        assert_eq!(research.key(), Some(key));
        assert_eq!(
            research.searches(Provider::Responses, "o3-deep-research"),
            60
        );
        assert_eq!(research.searches(Provider::Xai, "grok-4"), 30);
    }
}
