//! The family of a model or an agent, by its name: who made it. Hides how names are taken apart. A
//! name that is not in the table has no family, and says nothing of a preference.

use std::collections::BTreeMap;

/// Families, and the words by which their models are called. A word counts where it is a part of a
/// name by itself, or is followed by a number: `gpt`, `gpt-5`, `gpt4o`.
pub const FAMILIES: [(&str, &[&str]); 24] = [
    ("AI21", &["ai21", "jamba"]),
    ("Alibaba", &["alibaba", "qwen", "qwq", "qvq", "tongyi"]),
    ("Allen AI", &["allenai", "olmo", "tulu"]),
    ("Amazon", &["amazon", "nova", "titan"]),
    ("Anthropic", &["anthropic", "claude"]),
    ("Baidu", &["baidu", "ernie", "wenxin"]),
    ("ByteDance", &["bytedance", "doubao", "seed"]),
    ("Cohere", &["cohere", "command", "aya"]),
    ("DeepSeek", &["deepseek"]),
    (
        "Google",
        &["google", "gemini", "gemma", "notebooklm", "palm"],
    ),
    ("IBM", &["ibm", "granite"]),
    ("Meta", &["meta", "llama"]),
    ("Microsoft", &["microsoft", "phi"]),
    ("MiniMax", &["minimax", "abab"]),
    (
        "Mistral",
        &["mistral", "mixtral", "magistral", "ministral", "codestral"],
    ),
    ("Moonshot", &["moonshot", "moonshotai", "kimi"]),
    ("NVIDIA", &["nvidia", "nemotron"]),
    ("OpenAI", &["openai", "gpt", "chatgpt", "o1", "o3", "o4"]),
    ("Perplexity", &["perplexity", "sonar"]),
    ("Shanghai AI Lab", &["internlm", "intern"]),
    ("Tencent", &["tencent", "hunyuan"]),
    ("xAI", &["xai", "grok"]),
    ("Zhipu", &["zhipu", "zai", "glm", "chatglm"]),
    ("01.AI", &["yi"]),
];

/// The family of a model (`provider/model`) or of an agent. `named` are the agents that the user
/// takes together (`[families]`): a name among them belongs to the family that its heading names,
/// which is in the table or a family of its own. What stands behind the last `/` counts before what
/// stands in front of it, which may be a host of others' models; of several words the first.
pub fn family_of(name: &str, named: &BTreeMap<String, Vec<String>>) -> Option<String> {
    let heading = named
        .iter()
        .find(|(_, names)| names.iter().any(|of| of == name))
        .map(|(heading, _)| heading);
    match heading {
        Some(heading) => Some(known(heading).map_or_else(|| heading.clone(), str::to_owned)),
        None => known(name).map(str::to_owned),
    }
}

fn known(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let mut words = lower
        .rsplit('/')
        .flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    words.find_map(|word| {
        let is_called = |(_, called): &&(&str, &[&str])| called.iter().any(|of| is_word(word, of));
        FAMILIES.iter().find(is_called).map(|(family, _)| *family)
    })
}

fn is_word(word: &str, called: &str) -> bool {
    let behind = word.strip_prefix(called);
    behind.is_some_and(|rest| rest.chars().next().is_none_or(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models_and_agents_tell_their_makers() {
        let none = BTreeMap::new();
        for (name, family) in [
            ("openai/gpt-5", Some("OpenAI")),
            ("azure/gpt4o-mini", Some("OpenAI")),
            ("o3-deep-research", Some("OpenAI")),
            ("openrouter/anthropic/claude-opus-4", Some("Anthropic")),
            ("perplexity/anthropic/claude-opus-4", Some("Anthropic")),
            ("amazon/mistral-large", Some("Mistral")),
            ("perplexity/r1-1776", Some("Perplexity")),
            ("Gemini 2.5 Pro Deep Research", Some("Google")),
            ("deepseek-r1-distill-llama-70b", Some("DeepSeek")),
            ("local/qwen3-4b", Some("Alibaba")),
            ("fake/m", None),
            ("commander", None),
            ("seedling", None),
            ("", None),
            ("智谱", None),
        ] {
            assert_eq!(family_of(name, &none).as_deref(), family, "{name}");
        }
    }

    #[test]
    fn what_the_user_says_goes_first() {
        let named = BTreeMap::from([
            ("gpt".to_owned(), vec!["our-agent".to_owned()]),
            ("House".to_owned(), vec!["claude-in-house".to_owned()]),
        ]);
        assert_eq!(family_of("our-agent", &named).as_deref(), Some("OpenAI"));
        assert_eq!(
            family_of("claude-in-house", &named).as_deref(),
            Some("House")
        );
    }

    #[test]
    fn no_word_is_of_two_families() {
        let mut words: Vec<&str> = FAMILIES
            .iter()
            .flat_map(|(_, words)| *words)
            .copied()
            .collect();
        let n = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), n);
    }
}
