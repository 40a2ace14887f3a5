//! Samples of each file, written to the format's description, without a fault. Tests plant theirs.

use serde_json::{Value, json};

use crate::benchmarks::live_research_bench::files::ReportsFile;

/// Models of the sample.
pub const MODELS: [&str; 2] = ["heron/large", "wren"];
/// Queries of the sample, one with the prefix and one without.
pub const QUERIES: [&str; 2] = ["qid_river01", "market02"];
/// Model of the reference reports.
pub const REFERENCE: &str = "open-deep-research";

fn block(at: usize, mut fields: Value) -> Value {
    fields["provider"] = json!("gemini");
    fields["model"] = json!("judge-pro");
    fields["graded_at"] = json!(format!("2026-02-03T10:11:{at:02}.000{at}71"));
    fields
}

/// Presentation with eight of ten.
pub fn presentation(at: usize) -> Value {
    let items = (1..=10).map(|n| {
        let item = json!({
            "score": i32::from(n > 2),
            "justification": format!("Point {n} as seen in report {at}: 标题清楚。"),
        });
        (format!("p{n}"), item)
    });
    let fields = json!({
        "evaluations": items.collect::<serde_json::Map<String, Value>>(),
        "summary": {
            "total_criteria": 10,
            "total_score": 8,
            "passed_count": 8,
            "failed_count": 2,
            "average_pass_rate": 80.0,
        },
    });
    block(at, fields)
}

/// Coverage with three of four.
pub fn coverage(at: usize) -> Value {
    let item =
        |score: u8, n: u8| json!({"score": score, "justification": format!("Item {n} of {at}.")});
    let fields = json!({
        "evaluations": {"q1": item(1, 1), "q2": item(0, 2), "q3": item(1, 3), "q4": item(1, 4)},
        "summary": {
            "total_checklists": 4,
            "total_score": 3,
            "addressed_count": 3,
            "not_addressed_count": 1,
            "percentage_addressed": 75.0,
        },
    });
    block(at, fields)
}

/// Issues, as many as asked, with a score.
pub fn issues(at: usize, number: usize, score: u8) -> Value {
    let list = (0..number).map(|n| format!("Report {at}, place {n}: a depth of 3 m and of 4 m."));
    let fields = json!({
        "specific_issues": list.collect::<Vec<String>>(),
        "total_issues": number,
        "score": score,
        "justification": format!("Looked for contradictions in report {at} and counted them."),
    });
    block(at, fields)
}

fn scores(each: u8) -> Value {
    json!({
        "granularity": each,
        "insight": each,
        "critique": each,
        "evidence": each,
        "density": each,
        "total": 5 * each,
    })
}

fn comparison(winner: &str, a: u8, b: u8) -> Value {
    json!({
        "winner": winner,
        "scores": {"A": scores(a), "B": scores(b)},
        "justification": "One of them weighs alternatives.",
        "major_flaws": {"A": [], "B": ["lists facts"]},
    })
}

/// Depth: a win where the report stood first, a tie where it stood second.
pub fn depth(at: usize, model: &str) -> Value {
    let fields = json!({
        "winner_comparison_1": "evaluated_model",
        "winner_comparison_2": "tie",
        "justification": format!("Report {at} traces causes further than the reference does."),
        "position_swap_used": true,
        "raw_comparison_1": comparison("A", 4, 3),
        "raw_comparison_2": comparison("tie", 3, 3),
        "comparison_type": "vs_reference",
        "reference_model": REFERENCE,
        "evaluated_model": model,
    });
    block(at, fields)
}

/// An ungraded report.
pub fn report(model: &str, query: &str) -> Value {
    json!({
        "model_name": model,
        "query_id": query,
        "query": "河流如何变化? How did prices move?",
        "report_file_path": format!("reports/{model}/qid_{query}_report.md"),
    })
}

fn graded(at: usize, model: &str, query: &str) -> Value {
    let mut report = report(model, query);
    report["presentation_grading_results"] = presentation(at);
    report["coverage_grading_results"] = coverage(at);
    report["consistency_grading_results"] = issues(at, 2, 90);
    report["citation_grading_results"] = issues(at + 30, 15, 20);
    if model != REFERENCE {
        report["depth_grading_results"] = depth(at, model);
    }
    report
}

/// A detailed file: two models and the reference on two queries. Reports 0 and 1 are the first
/// model's, 2 and 3 the second's, 4 and 5 the reference's.
pub fn detailed() -> Value {
    let models = [MODELS[0], MODELS[1], REFERENCE];
    let reports: Vec<Value> = models
        .iter()
        .flat_map(|model| QUERIES.map(|query| (*model, query)))
        .enumerate()
        .map(|(at, (model, query))| graded(at, model, query))
        .collect();
    json!({
        "metadata": {
            "timestamp": "20260203_101100",
            "total_reports": reports.len(),
            "total_models": 3,
            "base_path": "reports",
            "use_realtime": false,
            "gemini_grading_completed_at": "2026-02-03T11:00:00.000001",
        },
        "reports": reports,
    })
}

/// A file of reports before grading.
pub fn reports() -> Value {
    let reports: Vec<Value> = MODELS
        .iter()
        .flat_map(|model| QUERIES.map(|query| report(model, query)))
        .collect();
    json!({
        "metadata": {
            "timestamp": "20260203_090000",
            "total_reports": 4,
            "total_models": 2,
            "base_path": "reports",
            "use_realtime": true,
        },
        "reports": reports,
    })
}

/// A line of incremental results.
pub fn line(model: &str, query: &str, criterion: &str, block: Value) -> Value {
    let mut line = json!({
        "query_id": query,
        "model_name": model,
        "report_file_path": format!("reports/{model}/qid_{query}_report.md"),
        "graded_at": "2026-02-03T10:11:12.000001",
    });
    line[format!("{criterion}_grading_results")] = block;
    line
}

fn pointwise(mean: f64) -> Value {
    json!({"mean": mean, "count": 2, "min": mean, "max": mean})
}

/// A summary of the detailed file.
pub fn summary() -> Value {
    let scores = json!({
        "presentation": pointwise(80.0),
        "coverage": pointwise(75.0),
        "consistency": pointwise(90.0),
        "citation": pointwise(20.0),
    });
    let mut model = scores.clone();
    model["depth"] = json!({
        "wins": 2, "losses": 0, "ties": 2, "total": 4, "decisive_games": 2, "win_rate": 100.0,
        "reference_model": REFERENCE,
    });
    json!({
        "metadata": {
            "provider": "gemini",
            "model": "judge-pro",
            "graded_at": "2026-02-03T11:00:00",
            "total_reports": 6,
            "criteria_evaluated": ["presentation", "coverage", "consistency", "citation", "depth"],
            "input_metadata": detailed()["metadata"],
        },
        "results_by_model": {MODELS[0]: model.clone(), MODELS[1]: model, REFERENCE: scores.clone()},
        "overall_results": scores,
    })
}

/// The averaged file of two judges.
pub fn averaged() -> Value {
    let judge = |provider: &str, wins: u8, losses: u8, rate: f64| {
        json!({
            "provider": provider, "model": "judge", "win_rate": rate, "wins": wins,
            "losses": losses, "ties": 1, "decisive_games": wins + losses,
        })
    };
    json!({
        "metadata": {
            "averaged_from": {
                "file_a": "a.json", "provider_a": "gemini", "model_a": "judge",
                "file_b": "b.json", "provider_b": "openai", "model_b": "judge",
            },
        },
        "results_by_model": {
            "wren": {
                "presentation": {
                    "mean": 75.0, "mean_a": 80.0, "mean_b": 70.0,
                    "count": 2, "min": 60.0, "max": 90.0,
                },
                "citation": {
                    "mean": 45.0, "mean_a": 50.0, "mean_b": 40.0,
                    "count": 2, "min": 10.0, "max": 90.0,
                },
                "depth": {
                    "win_rate": 62.5,
                    "by_judge": {
                        "judge_a": judge("gemini", 3, 1, 75.0),
                        "judge_b": judge("openai", 2, 2, 50.0),
                    },
                },
            },
        },
    })
}

/// A value as a file of reports that has no broken field.
pub fn read(value: &Value) -> ReportsFile {
    let read = ReportsFile::read("sample.json", value.to_string().as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    read.value
}

/// Puts a value at a JSON pointer; the place must be there, or be a new field of an object.
pub fn plant(file: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match file.pointer_mut(parent).unwrap() {
        Value::Object(fields) => {
            fields.insert(name.to_owned(), value);
        }
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        other => panic!("{other}"),
    }
}

/// Removes the field at a JSON pointer.
pub fn remove(file: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let fields = file.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    assert!(fields.shift_remove(name).is_some(), "{pointer}");
}
