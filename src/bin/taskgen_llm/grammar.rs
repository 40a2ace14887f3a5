//! JSON schema → a matcher that says which tokens may come next, and which must. Hides llguidance,
//! its view of the vocabulary, and the form of JSON that is written (no white space to pad with).

use std::sync::Arc;

use anyhow::{Result, anyhow};
use llama_cpp_2::{model::LlamaModel, sampling::LlamaSampler};
use llguidance::{
    Matcher, ParserFactory,
    api::TopLevelGrammar,
    earley::SlicedBiasComputer,
    toktrie::{InferenceCapabilities, TokEnv, TokTrie, TokenId, TokenizerEnv},
};
use serde_json::{Value, json};

/// Makes matchers for one model.
pub struct Grammars {
    factory: ParserFactory,
}

impl Grammars {
    /// Reads the model's vocabulary once; this takes some tenths of a second.
    pub fn new(model: &Arc<LlamaModel>) -> Result<Self> {
        let trie = LlamaSampler::llguidance_tok_env(model).tok_trie().clone();
        let env: TokEnv = Arc::new(Vocabulary {
            model: model.clone(),
            trie,
        });
        let abilities = InferenceCapabilities {
            ff_tokens: true,
            ..Default::default()
        };
        let mut factory =
            ParserFactory::new(&env, abilities, &SlicedBiasComputer::general_slices())?;
        factory.quiet();
        Ok(Self { factory })
    }

    /// A matcher of all compact JSON texts that obey `schema`.
    pub fn matcher(&self, schema: &Value) -> Result<Matcher> {
        let mut schema = schema.clone();
        let fields = schema
            .as_object_mut()
            .ok_or_else(|| anyhow!("a schema must be a JSON object"))?;
        // White space between values lets a small model pad for ever; escapes other than these only
        // lead it astray.
        let form = json!({ "whitespace_flexible": false, "json_allowed_escapes": "n\"\\" });
        fields.insert("x-guidance".into(), form);
        let parser = self
            .factory
            .create_parser(TopLevelGrammar::from_json_schema(schema))?;
        Ok(Matcher::new(Ok(parser)))
    }
}

/// The model's own tokenizer for what the grammar forces: the pieces are those that the model would
/// have written.
struct Vocabulary {
    model: Arc<LlamaModel>,
    trie: TokTrie,
}

impl TokenizerEnv for Vocabulary {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        // llama.cpp tokenizes text; a half character at the end falls back to the longest known
        // pieces.
        if std::str::from_utf8(bytes).is_err() {
            return self.trie.greedy_tokenize(bytes);
        }
        self.model
            .vocab()
            .tokenize(bytes, false, false)
            .into_iter()
            .map(|token| token.0.cast_unsigned())
            .collect()
    }
}
