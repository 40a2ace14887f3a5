//! Made-up files about made-up articles.

use serde_json::{Value, json};

use crate::benchmarks::wiki_live_challenge::files::{
    ArticleFile, CitationFile, Content, JsonFile, VerifiabilityFile, WritingFile,
};

/// The text of a value as the benchmark lays it out.
pub fn text(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// A file that reads without a problem.
pub fn read<T: Content>(value: &Value) -> T {
    let read = JsonFile::<T>::read("sample.json", text(value).as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    read.value.content
}

/// A file whose parts may be of another kind.
pub fn read_broken<T: Content>(value: &Value) -> T {
    let read = JsonFile::<T>::read("sample.json", text(value).as_bytes()).unwrap();
    read.value.content
}

const BUILT: &str = "The bridge of Ölten was built in 1894 by a company from Bern. ";

pub fn article_value() -> Value {
    json!({
        "batchcomplete": "",
        "query": {"pages": {"4711": {
            "pageid": 4711,
            "ns": 0,
            "title": "Bridge_of_Ölten",
            "extract": "The bridge was built in 1894. 桥很长。",
            "citation_urls": {
                "1": "https://bridges.test/ölten",
                "2": "https://wiki.test/Bridge_(river",
                "4": "https://unused.test/"
            },
            "statements": [
                {"fact": "The bridge was built in 1894.", "ref_idx": "1",
                 "url": "https://bridges.test/ölten"},
                {"fact": "It is 90 m long.", "ref_idx": ["1", "2"],
                 "url": ["https://bridges.test/ölten", "https://wiki.test/Bridge_(river"]},
                {"fact": "It was painted green.", "ref_idx": "3", "url": null},
                {"statement": "It is loved.", "ref_idx": null}
            ],
            "citation_contents": {
                "1": {"url": "https://bridges.test/ölten", "title": "Bridges",
                      "content": BUILT.repeat(4),
                      "description": "", "publish_time": ""},
                "2": {"url": "https://wiki.test/Bridge_(river", "title": "", "content": "",
                      "error": "timed out"}
            },
            "source_file": "wren/md_data/Bridge_of_Ölten.md"
        }}}
    })
}

pub fn article() -> ArticleFile {
    read(&article_value())
}

/// A verdict on a criterion.
pub fn verdict(index: u64, winner: &str, code: u64) -> Value {
    json!({
        "criterion_id": format!("c_{index}"), "criterion_index": index, "criterion_text": "Clear?",
        "category": "Neutral", "winner": winner, "winner_code": code, "reason": "因为",
    })
}

/// A whole result on writing: the candidate wins the first `wins` criteria.
pub fn writing_value(wins: u64) -> Value {
    let verdicts = |from: u64, to: u64| -> Vec<Value> {
        (from..to)
            .map(|at| {
                if at < wins {
                    verdict(at, "gen", 2)
                } else {
                    verdict(at, "gt", 1)
                }
            })
            .collect()
    };
    json!({
        "topic": "Bridge_of_Ölten", "mode": "winrate", "allow_tie": false,
        "aggregate": {},
        "details": {
            "Neutral": verdicts(29, 39),
            "Broad in its coverage": verdicts(21, 29),
            "Well-written": verdicts(0, 21),
        }
    })
}

pub fn writing(wins: u64) -> WritingFile {
    read(&writing_value(wins))
}

/// An alignment with a verdict.
pub fn alignment(verdict: &str, score: f64) -> Value {
    json!({
        "gen_sentence": "It is long.", "candidates": ["The bridge is 90 m long."],
        "top_score": score,
        "verify": {
            "verdict": verdict, "reason": "", "is_supported": verdict == "consistent",
            "is_conflict": verdict == "inconsistent",
        }
    })
}

pub fn verifiability_value(generated: &[&str], wiki: &[&str]) -> Value {
    let listed = |verdicts: &[&str]| -> Vec<Value> {
        verdicts
            .iter()
            .map(|verdict| alignment(verdict, 0.5))
            .collect()
    };
    json!({
        "title": "Bridge_of_Ölten", "num_gen_sentences": generated.len(),
        "num_gt_sentences": wiki.len(), "top_k": 10,
        "alignments": listed(generated), "coverage_alignments": listed(wiki),
    })
}

pub fn verifiability(generated: &[&str], wiki: &[&str]) -> VerifiabilityFile {
    read(&verifiability_value(generated, wiki))
}

/// A result on citations with rows of statement, number and verdict.
pub fn citation_value(total: u64, rows: &[(u64, &str, &str)]) -> Value {
    let results = rows.iter().map(|(statement, number, verdict)| {
        json!({
            "statement_index": statement, "statement": "It is long.", "citation_num": number,
            "citation_url": "https://bridges.test/", "verdict": verdict, "reason": "",
        })
    });
    json!({
        "title": "Bridge_of_Ölten", "status": "completed", "total_statements": total,
        "total_citations": 3, "valid_citations": 2, "results": results.collect::<Vec<_>>(),
    })
}

pub fn citation(total: u64, rows: &[(u64, &str, &str)]) -> CitationFile {
    read(&citation_value(total, rows))
}
