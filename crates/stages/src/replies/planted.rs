//! Planted replies of a model: each bad one differs from a good one in one point, and must be
//! refused by the rule meant for that point and by no other. Their authors saw the list of rules,
//! and not the code.

use std::collections::BTreeSet;

use serde::{Deserialize, de::DeserializeOwned};

/// The sets, each of another hand.
const SETS: [(&str, &str); 4] = [
    (
        "first",
        include_str!("../../../../tests/data/planted/first.jsonl"),
    ),
    (
        "second",
        include_str!("../../../../tests/data/planted/second.jsonl"),
    ),
    (
        "third",
        include_str!("../../../../tests/data/planted/third.jsonl"),
    ),
    (
        "fourth",
        include_str!("../../../../tests/data/planted/fourth.jsonl"),
    ),
];

#[derive(Deserialize)]
struct Case {
    id: String,
    stage: String,
    fault: Option<String>,
    given: serde_json::Value,
    reply: serde_json::Value,
}

/// Runs the cases of a stage: `broken` says which rules a reply breaks, `rule` the one that is
/// meant for a fault. Returns how many good and bad ones each set has.
pub fn check<G: DeserializeOwned, R: DeserializeOwned>(
    stage: &str,
    rule: impl Fn(&str) -> &str,
    broken: impl Fn(G, R) -> BTreeSet<String>,
) -> Vec<(usize, usize)> {
    let (mut surprises, mut counts) = (Vec::new(), Vec::new());
    for (set, lines) in SETS {
        let cases = lines
            .lines()
            .map(|line| serde_json::from_str::<Case>(line).expect("a case"));
        let (mut good, mut bad) = (0, 0);
        for case in cases.filter(|case| case.stage == stage) {
            *(if case.fault.is_some() {
                &mut bad
            } else {
                &mut good
            }) += 1;
            let given = serde_json::from_value(case.given).expect("what the model is given");
            let reply = serde_json::from_value(case.reply).expect("a reply");
            let expected: BTreeSet<String> = case
                .fault
                .iter()
                .map(|fault| rule(fault).to_owned())
                .collect();
            let broken = broken(given, reply);
            if broken != expected {
                surprises.push(format!("{set} {} {:?}: {broken:?}", case.id, case.fault));
            }
        }
        counts.push((good, bad));
    }
    assert!(surprises.is_empty(), "{surprises:#?}");
    counts
}
