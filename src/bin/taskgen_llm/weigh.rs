//! The log-probabilities of offered answers, by the softmax over the whole vocabulary.

use anyhow::{Result, ensure};
use llama_cpp_2::token::LlamaToken;

/// The tokens among these spellings of an answer that are the whole answer; none where it takes
/// several.
pub fn spellings(spelt: [Vec<LlamaToken>; 2]) -> Option<Vec<LlamaToken>> {
    let mut tokens: Vec<LlamaToken> = spelt
        .into_iter()
        .filter_map(|tokens| <[LlamaToken; 1]>::try_from(tokens).ok())
        .flatten()
        .collect();
    tokens.dedup();
    (!tokens.is_empty()).then_some(tokens)
}

/// The log-probability of each answer: the spellings of an answer exclude each other, so that their
/// probabilities add up.
pub fn log_probabilities(logits: &[f32], answers: &[Vec<LlamaToken>]) -> Result<Vec<f64>> {
    let all = log_sum(logits.iter().copied())?;
    answers
        .iter()
        .map(|tokens| {
            let own = tokens.iter().filter_map(|token| {
                let id = usize::try_from(token.0).ok()?;
                logits.get(id).copied()
            });
            Ok(log_sum(own)? - all)
        })
        .collect()
}

/// The logarithm of the sum of exponentials. The largest is taken out, so that none overflows.
fn log_sum(logits: impl Iterator<Item = f32> + Clone) -> Result<f64> {
    let most = logits
        .clone()
        .map(f64::from)
        .fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.map(|logit| (f64::from(logit) - most).exp()).sum();
    ensure!(
        most.is_finite() && sum.is_finite(),
        "the model's output is not a number"
    );
    Ok(most + sum.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[i32]) -> Vec<LlamaToken> {
        ids.iter().copied().map(LlamaToken).collect()
    }

    #[test]
    fn probabilities_are_of_the_whole_vocabulary_and_spellings_add_up() {
        let logits = [1, 2, 4, 1].map(|odds| (odds as f32).ln() + 700.0);
        let answers = [tokens(&[0]), tokens(&[1, 3])];
        let weights = log_probabilities(&logits, &answers).expect("numbers");
        for (weight, probability) in weights.iter().zip([1.0 / 8.0, 3.0 / 8.0]) {
            assert!((weight.exp() - probability).abs() < 1e-4, "{weight}");
        }
        assert!(log_probabilities(&[f32::NAN, 1.0], &answers).is_err());
        assert!(log_probabilities(&logits, &[tokens(&[9])]).is_err());
    }

    #[test]
    fn an_answer_of_several_tokens_is_none() {
        assert_eq!(
            spellings([tokens(&[7]), tokens(&[3, 7])]),
            Some(tokens(&[7]))
        );
        assert_eq!(
            spellings([tokens(&[7]), tokens(&[8])]),
            Some(tokens(&[7, 8]))
        );
        assert_eq!(spellings([tokens(&[7]), tokens(&[7])]), Some(tokens(&[7])));
        assert_eq!(spellings([tokens(&[1, 2]), Vec::new()]), None);
    }
}
