//! Near-copies among tasks: labelled pairs by threshold, and the commands that use them.

use std::collections::BTreeSet;

use serde::Deserialize;
use taskgen::{
    embed::{Encoder, cosine},
    similarity::{SAME, agree, jaccard, joined, shingles},
    text::words::is_chinese,
};

use crate::{
    embed::model,
    support::{ModelServer, Project, TALK, TALK_ZH},
};

/// Two tasks that a person would, or would not, call the same.
#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    same: bool,
}

/// A pair's word likeness, cosine, and whether numbers, names and key words agree.
struct Measured {
    same: bool,
    words: f64,
    cosine: f64,
    agree: bool,
}

fn pairs(text: &str) -> Vec<Pair> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn measured(pairs: &[Pair], encoder: &Encoder) -> Vec<Measured> {
    let measure = |Pair { a, b, same }: &Pair| Measured {
        same: *same,
        words: jaccard(&shingles(a), &shingles(b)),
        cosine: cosine(&encoder.encode(a), &encoder.encode(b)),
        agree: agree(a, b),
    };
    pairs.iter().map(measure).collect()
}

/// Precision, recall and F1 of those that `is_copy`; precision is 1 where nothing is called a copy.
fn quality(pairs: &[Measured], is_copy: impl Fn(&Measured) -> bool) -> [f64; 3] {
    let count =
        |of: &dyn Fn(&Measured) -> bool| pairs.iter().filter(|pair| of(pair)).count() as f64;
    let (right, called) = (
        count(&|pair| pair.same && is_copy(pair)),
        count(&|pair| is_copy(pair)),
    );
    let same = count(&|pair| pair.same);
    let precision = if called > 0.0 { right / called } else { 1.0 };
    [precision, right / same, 2.0 * right / (called + same)]
}

fn said([precision, recall, f1]: [f64; 3]) -> String {
    format!("{precision:.2} {recall:.2} {f1:.2}")
}

/// The pairs were written and labelled by a language model, and no person has checked them. There
/// are 20 paraphrases, 20 pairs of one topic that ask for something else, and the latter again with
/// one side rewritten in other words.
#[test]
fn real_near_pairs_by_threshold() {
    let file = model();
    let encoder = Encoder::load(&file.path).expect("it loads");
    for (name, text) in [
        ("similar", include_str!("../data/similarity/similar.jsonl")),
        (
            "rewritten",
            include_str!("../data/similarity/rewritten.jsonl"),
        ),
    ] {
        let pairs = measured(&pairs(text), &encoder);
        assert_eq!(
            (pairs.len(), pairs.iter().filter(|pair| pair.same).count()),
            (40, 20)
        );
        println!("{name}: precision, recall, F1\nwords");
        for threshold in [0.1, 0.2, 0.3, 0.5, 0.7] {
            println!(
                "  {threshold:.2}  {}",
                said(quality(&pairs, |pair| pair.words >= threshold))
            );
        }
        println!("      vectors         with the guard  words at .70, or both");
        for threshold in [0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8] {
            let vectors = quality(&pairs, |pair| pair.cosine >= threshold);
            let guarded = quality(&pairs, |pair| pair.cosine >= threshold && pair.agree);
            let both = quality(&pairs, |pair| {
                pair.words >= 0.7 || pair.cosine >= threshold && pair.agree
            });
            println!(
                "  {threshold:.2}  {}  {}  {}",
                said(vectors),
                said(guarded),
                said(both)
            );
        }
        let [precision, recall, _] = quality(&pairs, |pair| pair.cosine >= SAME && pair.agree);
        assert!(
            precision >= 0.9 && recall >= 0.4,
            "{name}: {precision} {recall}"
        );
        let [_, by_words, _] = quality(&pairs, |pair| pair.words >= 0.7);
        assert!(by_words < recall);
    }
}

/// Tasks of different topics lie far below the threshold.
#[test]
fn real_near_topics_are_apart() {
    let file = model();
    let encoder = Encoder::load(&file.path).expect("it loads");
    let mut all = pairs(include_str!("../data/similarity/similar.jsonl"));
    all.extend(pairs(include_str!("../data/similarity/rewritten.jsonl")));
    let texts: Vec<&str> = all
        .iter()
        .flat_map(|pair| [pair.a.as_str(), &pair.b])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let number = |text: &str| texts.binary_search(&text).expect("it is one of them");
    let linked: Vec<Vec<usize>> = all
        .iter()
        .map(|pair| vec![number(&pair.a), number(&pair.b)])
        .collect();
    let topics = joined(&linked, texts.len());
    let topic = |at: usize| topics.iter().position(|topic| topic.contains(&at));
    let vectors: Vec<Vec<f32>> = texts.iter().map(|text| encoder.encode(text)).collect();
    let apart = (0..texts.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|(a, b)| topic(*a) != topic(*b));
    let cosines: Vec<f64> = apart
        .map(|(a, b)| cosine(&vectors[a], &vectors[b]))
        .collect();
    let highest = cosines.iter().copied().fold(-1.0, f64::max);
    println!(
        "{} texts of {} topics: of {} pairs across topics the nearest has {highest:.3}",
        texts.len(),
        topics.len(),
        cosines.len()
    );
    assert!(highest < SAME - 0.1);
}

/// One place, crop or year put for another: to vectors it is the same task.
#[test]
fn real_near_swaps() {
    let file = model();
    let encoder = Encoder::load(&file.path).expect("it loads");
    let texts = pairs(include_str!("../data/similarity/similar.jsonl"));
    let mut swapped = Vec::new();
    for (from, to) in SWAPS {
        let of = texts
            .iter()
            .flat_map(|pair| [&pair.a, &pair.b])
            .find(|text| text.contains(from));
        let a = of
            .unwrap_or_else(|| panic!("no text speaks of {from}"))
            .clone();
        let b = a.replace(from, to);
        swapped.push(Pair { a, b, same: false });
    }
    let count = |of: &dyn Fn(&Measured) -> bool| {
        measured(&swapped, &encoder)
            .iter()
            .filter(|pair| of(pair))
            .count()
    };
    let [words, vectors] = [
        count(&|pair| pair.words >= 0.7),
        count(&|pair| pair.cosine >= SAME),
    ];
    let guarded = count(&|pair| pair.cosine >= SAME && pair.agree);
    println!(
        "of {} swaps, words call {words} copies, vectors {vectors}, vectors with the guard {guarded}",
        SWAPS.len()
    );
    assert!(guarded < vectors, "years and names are seen");
}

const SWAPS: [(&str, &str); 16] = [
    ("Greenland", "Patagonia"),
    ("2018", "2008"),
    ("2015", "2005"),
    ("2019", "2009"),
    ("2011", "2001"),
    ("four-day", "six-hour"),
    ("legal", "medical"),
    ("antibiotic", "fungicide"),
    ("manure", "compost"),
    ("水稻", "小麦"),
    ("闽南语", "客家语"),
    ("火电", "钢铁"),
    ("蚯蚓", "线虫"),
    ("高铁", "高速公路"),
    ("大学生", "小学生"),
    ("古籍", "碑刻"),
];

/// A project with tasks of three seminars, each of which has the same talk or its translation.
fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url)
        .seminar("rivers.wav", "en", TALK)
        .seminar("again.wav", "en", TALK)
        .seminar("heliu.wav", "zh", TALK_ZH)
        .woven();
    (fake, project)
}

#[test]
fn diversity_counts_clusters_and_tasks() {
    let (_, project) = project();
    let of = project.json(&["tasks", "diversity"]);
    let tasks = of["tasks"].as_u64().expect("a number");
    let listed = project
        .json(&["tasks", "list"])
        .as_array()
        .expect("a list")
        .len() as u64;
    assert_eq!(tasks, listed);
    let sum = |counts: &serde_json::Value| -> u64 {
        counts
            .as_object()
            .expect("counts")
            .values()
            .filter_map(serde_json::Value::as_u64)
            .sum()
    };
    let by_type: u64 = of["types"]
        .as_object()
        .expect("types")
        .values()
        .map(sum)
        .sum();
    assert_eq!(
        [
            by_type,
            sum(&of["phases"]),
            sum(&of["languages"]),
            sum(&of["seminars"])
        ],
        [tasks; 4]
    );
    assert_eq!(
        of["seminars"].as_object().map(serde_json::Map::len),
        Some(3)
    );
    let clusters = of["clusters"].as_array().expect("clusters");
    let copies: u64 = clusters
        .iter()
        .map(|of| of["copies"].as_array().expect("copies").len() as u64)
        .sum();
    assert_eq!(
        (of["copies"].as_u64(), of["distinct"].as_u64()),
        (Some(copies), Some(tasks - copies))
    );
    assert!(
        copies > 0 && clusters.iter().all(|of| of["copies"][0]["by"] == "words"),
        "the same talk twice: {of}"
    );
    assert!(of["meaning"].is_null());
    let effective = of["effective"].as_f64().expect("a number");
    assert!(
        effective > 1.0 && effective <= (tasks - copies) as f64 + 1e-9,
        "{effective}"
    );
    let none = project.json(&["tasks", "diversity", "--similarity", "2"]);
    assert_eq!(
        (&none["clusters"], &none["copies"]),
        (&serde_json::json!([]), &0.into())
    );
    assert!((none["effective"].as_f64().expect("a number") - tasks as f64).abs() < 1e-6);
}

#[test]
fn the_best_of_each_cluster_stands_first() {
    let (_, project) = project();
    project.ok(&["rank"]);
    for of in project.json(&["tasks", "diversity"])["clusters"]
        .as_array()
        .expect("clusters")
    {
        let rank = |of: &serde_json::Value| of["rank"].as_u64().expect("a place");
        assert!(
            of["copies"]
                .as_array()
                .expect("copies")
                .iter()
                .all(|copy| rank(copy) > rank(&of["best"]))
        );
    }
    insta::assert_snapshot!(project.told(&["tasks", "diversity"]), @"
    $ taskgen tasks diversity
    exit 0
    --- out
    t_[id], place 2, rivers.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, find and compare the pub…
      copy by words (similarity 1.00): t_[id], place 7, again.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, find and compare the pub…
    t_[id], place 3, rivers.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, test the claim with publ…
      copy by words (similarity 1.00): t_[id], place 6, again.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, test the claim with publ…
    t_[id], place 4, again.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, compare several approach…
      copy by words (similarity 1.00): t_[id], place 16, rivers.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, compare several approach…
    t_[id], place 5, again.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, find out what the people…
      copy by words (similarity 1.00): t_[id], place 14, rivers.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, find out what the people…
    t_[id], place 11, again.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, plan a method or an expe…
      copy by words (similarity 1.00): t_[id], place 13, rivers.wav: For gravel rivers with a sensor, a fibre cable, a drum and pitch, plan a method or an expe…
    ───
     family                                    earth-environment   all
    ───
     Literature Survey                         3                   3
    ───
     Trend / Market Scan                       0                   0
    ───
     Requirements Gathering / Needs Analysis   3                   3
    ───
     Hypothesis Generation                     2                   2
    ───
     Method / Experiment Blueprint             3                   3
    ───
     Prototype / System Specification          1                   1
    ───
     Evaluation Metric Design                  0                   0
    ───
     Empirical / Simulation Test               3                   3
    ───
     Replicability & Bias Review               0                   0
    ───
     Comparative Analysis                      3                   3
    ───
    phases: Design 6, Evaluate 6, Synthesize 6
    languages: en 12, zh 6
    seminars: again.wav 6, heliu.wav 6, rivers.wav 6
    18 tasks, 5 of them near-copies of a better one, compared by words (similarity 0.7)
    13 distinct tasks; effective number of clusters 12.2 (entropy 2.51 nats)
    ");
    insta::assert_snapshot!(project.told(&["tasks", "diversity", "--similarity", "0"]), @"
    $ taskgen tasks diversity --similarity 0
    exit 2
    --- err
    error: --similarity must be above 0: `0`
    hint: --similarity 0.7 is usual, and above 1 nothing is a copy
    ");
}

/// Names the model that compares meanings.
fn configure(project: &Project, model: &str) {
    let config = project.configuration();
    let (_, after) = config.split_once("[similarity]\n").expect("the section");
    let line = after.lines().next().expect("its line");
    project.reconfigure(line, &format!("model = \"{model}\""));
}

#[test]
fn near_without_its_model_words_are_compared_and_that_is_said() {
    let (_, project) = project();
    let empty = project.path("no-models");
    let run = |model| {
        configure(&project, model);
        let output = project
            .command(&["tasks", "diversity"])
            .env("TASKGEN_MODELS", &empty)
            .output()
            .expect("it runs");
        format!(
            "model = {model}\nexit {}\n{}",
            output.status.code().expect("a code"),
            String::from_utf8_lossy(&output.stderr).trim_end()
        )
    };
    let none_is_needed = ["auto", "none"].map(run);
    assert!(!empty.exists(), "nothing is fetched");
    insta::assert_snapshot!(none_is_needed.join("\n\n"), @"
    model = auto
    exit 0
    only words were compared, not meanings
    hint: `taskgen models pull use-multilingual` fetches the model for that

    model = none
    exit 0
    ");
    let one_is_wanted = ["use-multilingual", "tiny.en", "nobody"].map(run);
    insta::assert_snapshot!(one_is_wanted.join("\n\n"), @r#"
    model = use-multilingual
    exit 3
    error: similarity.model names it: the model `use-multilingual` could not be fetched: this disk: not there; --offline: nothing was fetched
    hint: bring the file `use-multilingual-v3.bin` yourself and run `taskgen models import FILE`

    model = tiny.en
    exit 2
    error: `tiny.en` is not an embedding model
    hint: similarity.model = "use-multilingual", or "auto", or "none"

    model = nobody
    exit 2
    error: similarity.model names it: no such model: `nobody`
    hint: `taskgen models list` shows the names; a file's path works, too
    "#);
}

/// A paraphrase is a copy by meaning, a translation, too; the same task about another year is none.
#[test]
fn real_near_copies_are_named_as_such() {
    // The program finds the encoder where the test does.
    model();
    let (_, project) = project();
    configure(&project, "use-multilingual");
    project.sql(
        "UPDATE task SET text = text || ' (' || id || ')', payload = json_remove(payload, '$.seal')",
    );
    let ids: Vec<String> = project
        .json(&["tasks", "list"])
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| task["id"].as_str().expect("an id").to_owned())
        .collect();
    let labelled = pairs(include_str!("../data/similarity/similar.jsonl"));
    let translated = labelled.iter().find(|pair| {
        pair.same && agree(&pair.a, &pair.b) && is_chinese(&pair.a) != is_chinese(&pair.b)
    });
    let Pair { a, b, .. } = translated.expect("some are translations");
    let texts = [
        "Survey how handwriting recognition has been adapted to the logbooks of sailors since 2015, and hand in a table.",
        "Since 2015, how was the recognition of handwriting fitted to the logbooks of sailors? Hand in a table about it.",
        "How was handwriting recognition adapted to the logbooks of sailors since 1995? Hand in a table with what you find.",
        a,
        b,
    ];
    for (id, text) in ids.iter().zip(texts) {
        project.sql(&format!(
            "UPDATE task SET text = '{}' WHERE id = '{id}'",
            text.replace('\'', "''")
        ));
    }
    let cut: Vec<String> = ids[texts.len()..]
        .iter()
        .map(|id| format!("'{id}'"))
        .collect();
    project.sql(&format!(
        "UPDATE task SET superseded = 1 WHERE id IN ({})",
        cut.join(",")
    ));
    let of = project.json(&["tasks", "diversity"]);
    assert_eq!(of["meaning"]["model"], "use-multilingual");
    let clusters = of["clusters"].as_array().expect("clusters");
    assert_eq!(clusters.len(), 2, "{of:#}");
    for copies in clusters
        .iter()
        .map(|cluster| cluster["copies"].as_array().expect("copies"))
    {
        assert!(copies.len() == 1 && copies[0]["by"] == "meaning", "{of:#}");
        assert!(
            copies[0]["cosine"].as_f64() >= Some(SAME) && copies[0]["task"] != texts[2],
            "{of:#}"
        );
    }
    assert!(project.path("tasks/vectors.bin").is_file());
    project.ok(&["rank"]);
    let selected = project.json(&["tasks", "select", "--top", "5"]);
    let copies = selected["duplicates"].as_array().expect("copies");
    assert_eq!(copies.len(), 2, "{selected:#}");
    assert!(
        copies
            .iter()
            .all(|copy| copy["by"] == "meaning" && copy["cosine"].as_f64() >= Some(SAME))
    );
    assert!(
        project
            .ok(&["tasks", "select", "--top", "5"])
            .contains("by meaning (similarity 0.")
    );
    let words = project.json(&["tasks", "select", "--top", "5", "--similarity", "2"]);
    assert_eq!(words["duplicates"], serde_json::json!([]));
}
