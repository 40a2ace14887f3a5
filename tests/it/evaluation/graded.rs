//! Reports of five planted levels on six tasks: the measures put them in their order, each fault is
//! found once, and what is changed in a report moves the measure that it should and no other.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use serde_json::{Value, json};
use taskgen::{data::id::sha256_hex, stats::correlation::kendall};

use crate::{
    graded::{Graded, LEVELS, Sentence, TASKS, Task, judge, obedient},
    support::{ModelServer, llm::Play},
};

const EVALUATE: [&str; 4] = [
    "evaluate",
    "--allow-private-network",
    "--metric",
    "kae,ace,claims",
];

const KAE: [&str; 4] = ["evaluate", "--allow-private-network", "--metric", "kae"];

fn plan_counts(level: usize, letters: &str) -> f64 {
    let (plan, _) = LEVELS[level];
    plan.chars()
        .filter(|letter| letters.contains(*letter))
        .count() as f64
}

#[test]
fn five_levels_come_out_in_their_order_and_each_fault_once() {
    let graded = Graded::new(obedient(), "form = \"strict\"").with_levels();
    graded.project.ok(&EVALUATE);
    let levels: Vec<f64> = (1..=5).map(|level| -f64::from(level)).collect();
    let ranked = [
        "ksr_own",
        "ksr_independent",
        "ksr_independent_weighted",
        "ksr_own_lenient",
        "claims_supported",
        "ace",
    ];
    for measure in ranked {
        let measured = graded.measured(measure);
        for task in TASKS.iter() {
            let values: Vec<f64> = (1..=5)
                .map(|level| measured[&(format!("level-{level}"), task.key)].expect("a value"))
                .collect();
            let tau = kendall(&levels, &values).expect("defined");
            println!("{measure} {}: {values:.3?}, tau {tau:.2}", task.key);
            assert!(tau >= 0.9, "{measure} of {}: {values:?}", task.key);
        }
    }
    let check = |measure: &str, expected: &dyn Fn(usize) -> f64| {
        for ((agent, task), value) in graded.measured(measure) {
            let level = agent.trim_start_matches("level-").parse::<usize>();
            let expected = expected(level.expect("a number") - 1);
            let value = value.expect("a value");
            assert!(
                (value - expected).abs() < 1e-9,
                "{measure} of {agent}, {task}: {value}, not {expected}"
            );
        }
    };
    check("ksr_independent", &|level| plan_counts(level, "RM") / 12.0);
    check("ksr_independent_lenient", &|level| {
        plan_counts(level, "RMP") / 12.0
    });
    check("kcr_independent", &|level| plan_counts(level, "VC") / 12.0);
    let statements = |level: usize| plan_counts(level, "RPVCM") + LEVELS[level].1 as f64;
    check("claims_contradicted", &|level| {
        plan_counts(level, "VC") / statements(level)
    });
    check("claims_wrong_source", &|level| {
        plan_counts(level, "M") / statements(level)
    });
    check("claims_supported", &|level| {
        plan_counts(level, "RP") / statements(level)
    });
    check("claims_silent", &|level| {
        LEVELS[level].1 as f64 / statements(level)
    });
}

/// The stored relations, by agent, task and key point.
fn labels(graded: &Graded) -> BTreeMap<String, String> {
    let database = graded.project.database();
    let mut rows = database
        .prepare(
            "SELECT document.agent || document.task || other, label FROM judgement
             JOIN document ON document.id = subject WHERE instrument LIKE 'kae/relation/%'",
        )
        .expect("SQL");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// The levels with forty more sentences each: reports of agents are longer than the planted ones.
fn long_levels() -> Vec<(String, &'static Task, Vec<Sentence>)> {
    let mut reports = Vec::new();
    for task in TASKS.iter() {
        for ((plan, padding), level) in LEVELS.iter().zip(1..) {
            let mut sentences = task.sentences(plan, *padding);
            let more = task.padding.iter().cycle().take(40);
            sentences.extend(more.map(|text| (text.clone(), None)));
            reports.push((format!("level-{level}"), task, sentences));
        }
    }
    reports
}

/// The questions about relations, and the characters of their prompts.
fn asked(server: &ModelServer) -> (usize, usize) {
    let requests: Vec<Value> = server.taken();
    let about = |request: &&Value| request.to_string().contains("evaluate_relation");
    let lengths = requests.iter().filter(about);
    let lengths: Vec<usize> = lengths.map(|of| of["messages"].to_string().len()).collect();
    (lengths.len(), lengths.iter().sum())
}

#[test]
fn batches_agree_and_cost_a_fraction() {
    let forms = [
        "form = \"paper\"",
        "form = \"strict\"\nbatch = 1",
        "form = \"strict\"\nbatch = 5",
        "form = \"strict\"",
    ];
    let runs = forms.map(|form| {
        let graded = Graded::new(obedient(), form);
        graded.import(&long_levels());
        graded.fake.taken();
        graded
            .project
            .ok(&["evaluate", "--allow-private-network", "--metric", "kae"]);
        let cost = asked(&graded.fake);
        println!("{form:?}: {cost:?} questions and characters about relations");
        (cost, labels(&graded))
    });
    let [paper, one, five, eight] = &runs;
    assert_eq!((one.1 == five.1, one.1 == eight.1), (true, true));
    assert_eq!(one.1.len(), paper.1.len());
    assert!(
        eight.0.1 * 4 <= paper.0.1,
        "{:?} against {:?}",
        eight.0,
        paper.0
    );
}

/// A judge that changes one verdict of fifty by chance agrees with itself across sizes of batches;
/// one that forgets half of what comes late in a batch is found out by the places.
#[test]
fn noise_and_forgetting_show() {
    // What chance does must not hang on the ports of this run's pages, which the texts name. The
    // model `n` forgets half of what comes late in a batch.
    let noisy = |run: &'static str| {
        ModelServer::openai().plays(move |request| {
            let mut reply = judge::reply(request.prompt(), &request.body);
            let texts = judge::fenced(&request.body);
            let is_forgetful = request.body["model"] == "n";
            let relations = reply.get_mut("relations").and_then(Value::as_array_mut);
            let relations = relations.into_iter().flatten().enumerate();
            for (place, relation) in relations {
                let seen = format!("{run} {} {}", texts[1], texts[place + 2]);
                let drawn = drawn(&seen.replace(|of: char| of.is_ascii_digit(), ""));
                if drawn < 0.02 || (is_forgetful && place >= 4 && drawn < 0.5) {
                    relation["relationship"] = json!("OMITS");
                    relation["sentence"] = json!(0);
                }
            }
            Play::Say(reply.to_string())
        })
    };
    let runs = [("one", 1), ("five", 5), ("eight", 8)].map(|(run, batch)| {
        let form = format!("form = \"strict\"\nbatch = {batch}");
        let graded = Graded::new(noisy(run), &form).with_levels();
        let told = graded.project.told(&KAE);
        (labels(&graded), told, graded)
    });
    let kappa = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>| {
        let pairs: Vec<(&String, &String)> =
            a.iter().map(|(key, label)| (label, &b[key])).collect();
        let n = pairs.len() as f64;
        let same = pairs.iter().filter(|(a, b)| a == b).count() as f64 / n;
        let words: BTreeSet<&String> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let share = |of: &dyn Fn(&(&String, &String)) -> bool| {
            pairs.iter().filter(|pair| of(pair)).count() as f64 / n
        };
        let chance: f64 = words
            .iter()
            .map(|word| share(&|pair| pair.0 == *word) * share(&|pair| pair.1 == *word))
            .sum();
        (same - chance) / (1.0 - chance)
    };
    let [one, five, eight] = &runs;
    let kappas = [
        kappa(&one.0, &five.0),
        kappa(&one.0, &eight.0),
        kappa(&five.0, &eight.0),
    ];
    println!("kappa of 1 and 5, 1 and 8, 5 and 8 with one verdict of fifty changed: {kappas:.3?}");
    assert!(
        kappas.iter().all(|kappa| (0.9..1.0).contains(kappa)),
        "{kappas:?}"
    );
    assert!(!one.1.contains("place in the batch"), "{}", one.1);
    // The same reports in the same order: what differs is the forgetting alone.
    let forgetful = [&KAE[..], &["--model-role", "relate=fake/n"]].concat();
    let (fair, interval) = by_place(&eight.1);
    let (forgetful, late) = by_place(&eight.2.project.told(&forgetful));
    println!(
        "one verdict of fifty: {fair:+} points, {interval:?}; forgetful: {forgetful:+}, {late:?}"
    );
    assert!(forgetful < fair - 5.0, "{forgetful} beside {fair}");
}

/// A number from 0 to 1 that follows from a text.
fn drawn(text: &str) -> f64 {
    let hash = sha256_hex(text.as_bytes());
    let number = u32::from_str_radix(&hash[..7], 16).expect("hexadecimal");
    f64::from(number) / f64::from(1 << 28)
}

/// The difference by place that a summary tells, with its interval.
fn by_place(told: &str) -> (f64, RangeInclusive<f64>) {
    let line = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = line.split("place in the batch").nth(1).expect("it is told");
    let inside = told.split(['(', ')']).nth(1).expect("in brackets");
    let numbers: Vec<f64> = inside
        .split([' ', ','])
        .filter_map(|word| word.parse().ok())
        .collect();
    let [difference, _, low, high] = numbers[..] else {
        panic!("{inside}")
    };
    (difference, low..=high)
}

/// A report of the third level on the first two tasks, and the same with one thing changed.
#[test]
fn what_is_changed_moves_its_measure_and_no_other() {
    let graded = Graded::new(obedient(), "form = \"strict\"").with_levels();
    let mut changed = Vec::new();
    for task in &TASKS[..2] {
        let (plan, padding) = LEVELS[2];
        let base: Vec<Sentence> = task.sentences(plan, padding);
        let first_right = task.sentences(plan, 0).iter().position(|(text, page)| {
            let right = task.points.iter().find(|point| point.right == *text);
            right.is_some_and(|point| {
                task.pages.iter().position(|of| of.name == point.page) == *page
            })
        });
        let at = first_right.expect("something right");
        let false_of = |text: &str| {
            let point = task.points.iter().find(|point| point.right == text);
            point.expect("a point").contradicted.clone()
        };
        let mut uncited = base.clone();
        uncited[at].1 = None;
        let mut misplaced = base.clone();
        misplaced[at].1 = misplaced[at].1.map(|page| (page + 1) % task.pages.len());
        let mut flipped = base.clone();
        flipped[at].0 = false_of(&flipped[at].0);
        let mut padded = base.clone();
        for _ in 0..5 {
            padded.extend(task.padding.iter().map(|text| (text.clone(), None)));
        }
        let mut shuffled = base.clone();
        shuffled.reverse();
        for (name, sentences) in [
            ("base", base),
            ("citation-dropped", uncited),
            ("source-exchanged", misplaced),
            ("number-flipped", flipped),
            ("padded", padded),
            ("shuffled", shuffled),
        ] {
            changed.push((name.to_owned(), task, sentences));
        }
    }
    graded.import(&changed);
    graded.project.ok(&EVALUATE);
    let measures = [
        "ksr_independent",
        "kcr_independent",
        "ksr_independent_weighted",
        "claims_supported",
        "claims_contradicted",
        "claims_wrong_source",
        "sentences_citing",
        "ace",
    ];
    let moved = measures.map(|measure| (measure, graded.measured(measure)));
    for task in &TASKS[..2] {
        for name in [
            "citation-dropped",
            "source-exchanged",
            "number-flipped",
            "padded",
            "shuffled",
        ] {
            let by: Vec<(&str, f64)> = moved
                .iter()
                .map(|(measure, values)| {
                    let value =
                        |agent: &str| values[&(agent.to_owned(), task.key)].expect("a value");
                    (*measure, value(name) - value("base"))
                })
                .filter(|(_, by)| by.abs() > 1e-9)
                .collect();
            println!("{} {name}: {by:+.3?}", task.key);
            let names: Vec<&str> = by.iter().map(|(measure, _)| *measure).collect();
            let expected: &[&str] = match name {
                // One statement less is checked, so that the shares of the others change.
                "citation-dropped" => &[
                    "claims_supported",
                    "claims_contradicted",
                    "claims_wrong_source",
                    "sentences_citing",
                ],
                "source-exchanged" => &["claims_supported", "claims_wrong_source"],
                "number-flipped" => &[
                    "ksr_independent",
                    "kcr_independent",
                    "ksr_independent_weighted",
                    "claims_supported",
                    "claims_contradicted",
                    "ace",
                ],
                "padded" => &["sentences_citing", "ace"],
                _ => &[],
            };
            assert_eq!(names, expected, "{name}");
        }
    }
}
