//! Log-probabilities of offered answers: the embedded model beside llama.cpp's own server with the
//! same file. Both compute with llama.cpp, built apart and reading prompts in other batches.

use taskgen::llm::{LocalModel, LocalOptions, Provider, Remote, RemoteOptions};

use crate::{
    Peer,
    planted::{Pair, pairs, preference},
    weights,
};

/// Every eighth pair is compared: some of every kind and language.
const STEP: usize = 8;
/// How far two log-probabilities of one answer may differ.
const TOLERANCE: f64 = 0.25;

fn embedded() -> LocalModel {
    LocalModel::new(LocalOptions {
        name: "local/0.5b".into(),
        program: env!("CARGO_BIN_EXE_taskgen-llm").into(),
        model: weights(),
        sha256: String::new(),
        threads: 2,
        environment: Vec::new(),
    })
}

fn behind(server: &Peer) -> Remote {
    Remote::new(RemoteOptions {
        name: "peer/qwen".into(),
        model: "qwen".into(),
        provider: Provider::OpenAi,
        base_url: format!("{}/v1", server.root),
        ..RemoteOptions::default()
    })
}

/// The largest difference of two log-probabilities.
fn largest(a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> f64 {
    let differences = a.iter().flatten().zip(b.iter().flatten());
    differences.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[tokio::test]
async fn the_server_of_llama_cpp_weighs_as_the_embedded_model_does() {
    let weights = weights();
    let server = Peer::start(
        "llama_cpp.server",
        &[
            "--model",
            weights.to_str().unwrap(),
            "--n_ctx",
            "1024",
            // Else it keeps none.
            "--logits_all",
            "true",
        ],
    );
    let (local, remote) = (embedded(), behind(&server));
    let pairs = pairs();
    let (mut same, mut worst, mut other) = (0, 0.0_f64, 0.0_f64);
    let chosen: Vec<&Pair> = pairs.iter().step_by(STEP).collect();
    for pair in &chosen {
        let (ours, theirs) = (pair.weights(&local).await, pair.weights(&remote).await);
        let apart = largest(&ours, &theirs);
        worst = worst.max(apart);
        let preferences = [&ours, &theirs].map(preference);
        if preferences[0].signum() == preferences[1].signum() {
            same += 1;
        } else {
            other = other.max(preferences[0].abs());
        }
    }
    println!(
        "llama.cpp weighs {} pairs: the same winner in {same}, another one where the preference is at most {other:.4}; log-probabilities differ by {worst:.4} at most",
        chosen.len()
    );
    assert!(worst <= TOLERANCE, "{worst}");
    // Others differ where so small a judge is near a tie, and the last digits decide.
    assert!(same >= 20, "{same}");
}
