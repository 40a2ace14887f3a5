//! How often the built-in model, read by log-probabilities, finds the better one of two planted
//! tasks; `docs/ranking.md` has the figures.

use std::{collections::BTreeMap, path::Path, time::Instant};

use taskgen::llm::{LocalModel, LocalOptions};

use crate::planted::{preference, tuning_pairs};

const MODEL: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf";

fn model() -> LocalModel {
    let folder = std::env::var_os("TASKGEN_MODELS").expect("`make accept` says where models are");
    LocalModel::new(LocalOptions {
        name: "local/qwen2.5-coder-0.5b".into(),
        program: env!("CARGO_BIN_EXE_taskgen-llm").into(),
        model: Path::new(&folder).join(MODEL),
        sha256: String::new(),
        threads: 2,
        environment: Vec::new(),
    })
}

#[tokio::test]
async fn the_built_in_model_weighs_planted_pairs() {
    let (model, began) = (model(), Instant::now());
    let mut right: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let (mut first_named, mut side) = (0, 0.0);
    for pair in tuning_pairs() {
        let orders = pair.weights(&model).await;
        for kind in [pair.kind.as_str(), "all"] {
            let (found, all) = right.entry(kind.to_owned()).or_default();
            *found += u32::from(preference(&orders) > 0.0);
            *all += 1;
        }
        for [first, second] in orders {
            first_named += u32::from(first > second);
            side += (first - second) / 200.0;
        }
    }
    for (kind, (found, all)) in &right {
        println!("{kind}: {found} of {all} right");
    }
    println!(
        "the first task is likelier in {first_named} of 200 orders, by {side:+.2} on the mean; {:.0} s",
        began.elapsed().as_secs_f64()
    );
    let (found, all) = right["all"];
    assert_eq!(all, 100);
    // Three standard errors below chance would be a fault in how it is read.
    assert!(found >= 35, "{found}");
}
