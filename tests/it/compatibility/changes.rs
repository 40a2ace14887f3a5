//! What is called otherwise since commit d769f59. The CHANGELOG has a line for each of these. Rules
//! apply one after the other, so that a later one finds what an earlier one made.

use serde_json::{Value, json};

use super::rules::{
    Change::{self, Added, Moved, NullDropped, Reshaped},
    Rule,
};

/// What a user types otherwise today: a word of a command, a heading or a key of `taskgen.toml`;
/// before, and today.
pub const SPELLINGS: &[(&str, &str)] = &[
    ("[near]", "[similarity]"),
    ("near", "similarity"),
    ("--near", "--similarity"),
    ("--world", "--scenario"),
];

/// What is different in today's outputs.
pub const RULES: &[Rule] = &[
    // The licence of each recording, not of the first alone.
    Rule {
        of: "tasks",
        change: Added("/**/provenance/inspirations/*/seminar/licence"),
    },
    // What people decided on tasks.
    Rule {
        of: "tasks",
        change: Added("/*/decisions"),
    },
    // Recordings that are being forgotten.
    Rule {
        of: "status",
        change: Added("/unfinished"),
    },
    // Replies that providers are still making.
    Rule {
        of: "status",
        change: Added("/pending_replies"),
    },
    Rule {
        of: "calls",
        change: Added("/pending_replies"),
    },
    // What is in files of scores and is no score.
    Rule {
        of: "audit-agreement",
        change: Added("/left"),
    },
    // A row of an agent holds its measures by their keys.
    board(Moved("/**/agents/*/ace", "/**/agents/*/measures/ace")),
    board(Moved(
        "/**/agents/*/references",
        "/**/agents/*/measures/references",
    )),
    board(Moved(
        "/**/agents/*/output_tokens",
        "/**/agents/*/measures/output_tokens",
    )),
    board(Moved("/**/agents/*/words", "/**/agents/*/measures/words")),
    board(Moved(
        "/**/agents/*/cost_micro",
        "/**/agents/*/measures/cost_micro",
    )),
    board(Moved(
        "/**/agents/*/url_failure_share",
        "/**/agents/*/measures/url_failure_share",
    )),
    board(Moved(
        "/**/agents/*/independent/pooled/*",
        "/**/agents/*/measures/*_independent",
    )),
    board(Moved(
        "/**/agents/*/independent/mean/*",
        "/**/agents/*/measures/*_independent_mean",
    )),
    board(Moved(
        "/**/agents/*/own/pooled/*",
        "/**/agents/*/measures/*_own",
    )),
    board(Moved(
        "/**/agents/*/own/mean/*",
        "/**/agents/*/measures/*_own_mean",
    )),
    board(Reshaped(
        "/**/agents/*/independent/counts",
        counts_by_measure,
        COUNTS,
    )),
    board(Reshaped(
        "/**/agents/*/own/counts",
        counts_by_measure,
        COUNTS,
    )),
    board(Moved(
        "/**/agents/*/independent/counts/*",
        "/**/agents/*/measures/*_independent/counts",
    )),
    board(Moved(
        "/**/agents/*/own/counts/*",
        "/**/agents/*/measures/*_own/counts",
    )),
    board(Moved(
        "/**/agents/*/independent/ksr_wilson",
        "/**/agents/*/measures/ksr_independent/counts/wilson",
    )),
    board(Moved(
        "/**/agents/*/own/ksr_wilson",
        "/**/agents/*/measures/ksr_own/counts/wilson",
    )),
    board(Added("/**/agents/*/measures/kcr_*/counts/wilson")),
    board(Added("/**/agents/*/measures/kor_*/counts/wilson")),
    board(Added("/**/agents/*/measures/url_failure_share/counts")),
    board(Moved(
        "/**/agents/*/ace_by/*/ace",
        "/**/agents/*/by_judge/ace/*/value",
    )),
    board(Moved(
        "/**/agents/*/ace_by/*/tasks",
        "/**/agents/*/by_judge/ace/*/tasks",
    )),
    board(Moved("/**/agents/*/ace_by", "/**/agents/*/by_judge")),
    board(Reshaped("/**/agents/*/repeated", by_ace, REPEATED)),
    board(Reshaped("/options/by", as_list, BY)),
    board(Added("/groups/*/facet")),
    // What is missing is bounded, and who lacks something has no rank.
    board(Added("/options/top")),
    board(Added("/**/complete_by")),
    board(Added("/**/agents/*/rank")),
    board(Added("/**/agents/*/is_complete")),
    board(Added("/**/agents/*/possible_ranks")),
    board(Added("/**/agents/*/p_top_k")),
    board(Reshaped("/**/agents/*/measures/*", without_bounds, BOUNDS)),
    board(Added("/**/agents/*/measures/*/worst")),
    board(Added("/**/agents/*/measures/*/best")),
    // The third agent's last two reports failed: it is not complete, but for the tasks in Chinese.
    board(Reshaped("/agents/2/tier", nothing, RANKS)),
    board(Reshaped("/groups/0/agents/2/tier", nothing, RANKS)),
    // The second one lacks ratings of a judge of the panel.
    board(Reshaped("/agents/1/tier", nothing, PARTLY)),
    board(Reshaped("/groups/0/agents/1/tier", nothing, PARTLY)),
    board(Reshaped("/all/beta/ace/tier", no_text, PARTLY)),
    board(Reshaped("/all/beta/ace/rank", no_text, PARTLY)),
    board(Reshaped("/all/gamma/*/tier", no_text, RANKS)),
    board(Reshaped("/all/gamma/*/rank", no_text, RANKS)),
    board(Reshaped("/all/delta/*/rank", no_text, RANKS)),
    board(Reshaped("/all/*", ranks_beside_ace, BESIDE)),
    // The paper's table has a line between the complete agents and the others, and says below what
    // is missing.
    papers(Reshaped("/*", wider, APART)),
    papers(Added("/18")),
    papers(Added("/17")),
    papers(Added("/16")),
    papers(Added("/15")),
    papers(Added("/14")),
    papers(Added("/13")),
    papers(Added("/6")),
    papers(Added("/5")),
    // Duels have roles of their own.
    Rule {
        of: "config-show",
        change: Added("/roles.examine"),
    },
    Rule {
        of: "config-show",
        change: Added("/roles.duel"),
    },
    // Recordings are transcribed on graphics cards, too.
    config(Added("/transcribe.device")),
    // Statements of reports may be a model's.
    config(Added("/roles.extract")),
    // Tasks say how hard they are by the results.
    Rule {
        of: "tasks-list",
        change: Added("/*/calibrated_difficulty"),
    },
    Rule {
        of: "tasks-show",
        change: Added("/calibrated_difficulty"),
    },
    board(Added("/**/agents/*/measures/*/no_bounds")),
    board(Added("/**/agents/*/measures/*/failed_by_rule")),
    board(Added("/**/agents/*/measures/*/not_applicable")),
    board(Moved("/*/*/*/value", "/*/*/*/rating")),
    board(Moved("/*/*/*/n_scored", "/*/*/*/n_games")),
    board(Added("/*/*/*/p_top_k")),
    board(Added("/*/*/*/worst")),
    board(Added("/*/*/*/best")),
    board(Added("/*/*/*/failed_by_rule")),
    board(Added("/*/*/*/complete")),
    board(Added("/*/*/*/rank_best")),
    board(Added("/*/*/*/rank_worst")),
    // The table has all measures as rows.
    board(Added("/*/*/efficiency_independent")),
    board(Added("/*/*/*_mean")),
    board(Added("/*/*/url_failure_share")),
    // So do the reports; each measure with what it is a share of.
    reports(Moved("/*/scores/ace", "/*/scores/measures/ace/value")),
    reports(Moved(
        "/*/scores/references",
        "/*/scores/measures/references/value",
    )),
    reports(Moved("/*/scores/words", "/*/scores/measures/words/value")),
    reports(Moved(
        "/*/scores/output_tokens",
        "/*/scores/measures/output_tokens/value",
    )),
    reports(NullDropped("/*/scores/measures/*/value")),
    reports(Moved(
        "/*/scores/own/supported",
        "/*/scores/measures/ksr_own/numerator",
    )),
    reports(Moved(
        "/*/scores/own/conflicting",
        "/*/scores/measures/kcr_own/numerator",
    )),
    reports(Moved(
        "/*/scores/own/omitted",
        "/*/scores/measures/kor_own/numerator",
    )),
    reports(Moved(
        "/*/scores/own/unscored",
        "/*/scores/measures/ksr_own/unscored",
    )),
    reports(NullDropped("/*/scores/own")),
    reports(Moved(
        "/*/scores/independent/supported",
        "/*/scores/measures/ksr_independent/numerator",
    )),
    reports(Moved(
        "/*/scores/independent/conflicting",
        "/*/scores/measures/kcr_independent/numerator",
    )),
    reports(Moved(
        "/*/scores/independent/omitted",
        "/*/scores/measures/kor_independent/numerator",
    )),
    reports(Moved(
        "/*/scores/independent/unscored",
        "/*/scores/measures/ksr_independent/unscored",
    )),
    reports(NullDropped("/*/scores/independent")),
    reports(Added("/*/scores/measures/*_mean")),
    reports(Added("/*/scores/measures/efficiency_*")),
    reports(Added("/*/scores/measures/url_failure_share")),
    reports(Added("/*/scores/measures/cost_micro")),
    reports(Added("/*/scores/measures/*/cause")),
    reports(Added("/*/scores/measures/*/denominator")),
    reports(Added("/*/scores/measures/k*/value")),
    reports(Added("/*/scores/measures/kcr_*/unscored")),
    reports(Added("/*/scores/measures/kor_*/unscored")),
    reports(Added("/*/scores/measures/ace/numerator")),
    reports(Added("/*/scores/measures/ace/unscored")),
    reports(Added("/*/scores/measures/references/numerator")),
    reports(Added("/*/scores/measures/references/unscored")),
    reports(Added("/*/scores/measures/words/numerator")),
    reports(Added("/*/scores/measures/words/unscored")),
    reports(Added("/*/scores/measures/output_tokens/numerator")),
    reports(Added("/*/scores/measures/output_tokens/unscored")),
    reports(Moved("/*/scores/ace_by/*", "/*/scores/by_judge/ace/*")),
    reports(Moved("/*/scores/ace_by", "/*/scores/by_judge")),
    reports(Reshaped("/*/scores/repeated", by_ace, REPEATED)),
    reports(Moved(
        "/*/scores/repeated/ace/freedom",
        "/*/scores/repeated/ace/degrees_of_freedom",
    )),
    rescore(Reshaped("/before", instruments, INSTRUMENTS)),
    rescore(Reshaped("/after", instruments, INSTRUMENTS)),
    // The evaluator that compares with a reference, where nothing was compared.
    config(Moved("/roles.continue", "/roles.complete")),
    config(Moved("/near.model", "/similarity.model")),
    config(Moved("/evaluate.near", "/evaluate.similarity")),
    config(Added("/evaluate.most_urls")),
    config(Added("/evaluate.batch")),
    config(Added("/evaluate.form")),
    config(Added("/evaluate.rate_with_evidence")),
    config(Added("/rank.read")),
    config(Added("/judge.probes")),
    config(Added("/weave.style")),
    config(Added("/inspire.style")),
    config(Added("/rank.repeated_pairs")),
    config(Added("/leakage.prompt")),
    config(Added("/leakage.compare")),
    // The audit card of a ranking has the field's words.
    // Tasks may come from a file, and are grouped by all of their facets.
    Rule {
        of: "tasks-list",
        change: Added("/*/origin"),
    },
    Rule {
        of: "tasks-show",
        change: Added("/**/origin"),
    },
    Rule {
        of: "status",
        change: Added("/transcribed"),
    },
    Rule {
        of: "status",
        change: Added("/benchmarks"),
    },
    Rule {
        of: "status",
        change: Added("/reports"),
    },
    Rule {
        of: "status",
        change: Added("/next"),
    },
    reports(Added("/*/scores/facets/difficulty")),
    card(Added("/ranking/item_kind")),
    Rule {
        of: "tasks.meta",
        change: Added("/ranking/item_kind"),
    },
    card(Moved("/judges/*/first_side", "/judges/*/position_bias")),
    card(Moved(
        "/audit/judges/*/first_side",
        "/audit/judges/*/position_bias",
    )),
    card(Moved(
        "/audit/judges/*/chance/enough",
        "/audit/judges/*/chance/has_power",
    )),
    card(Moved(
        "/audit/judges/*/chance/told",
        "/audit/judges/*/chance/significant",
    )),
    card(Moved(
        "/audit/judges/*/chance",
        "/audit/judges/*/better_than_chance",
    )),
    card(Moved("/audit/cycles/looked_at", "/audit/cycles/sampled")),
    card(Moved("/audit/cycles", "/audit/intransitivity")),
    card(Moved("/lapses", "/lapse_rate")),
    card(Reshaped(
        "/warnings/*",
        warning,
        "a judge *not told from chance yet* is *not shown to be better than chance yet*",
    )),
    card(Reshaped(
        "/checks/*",
        check,
        "the checks *sense*, *first side wins*, *sharpness* and *circles* are *better than chance*, *position bias*, *discrimination* and *intransitivity*",
    )),
];

const COUNTS: &str = "the counts of `own` and `independent` stand with each measure, as \
     `numerator` and `denominator`";
const REPEATED: &str = "`repeated` holds the measures that are asked again by their keys";
const INSTRUMENTS: &str = "`points`, `relation`, `rating` and `repeats` of `before` and `after` \
     are `instruments` with their models and settings";

const BOUNDS: &str = "`worst` and `best` of a measure are of all that is missing, judgements \
     without a verdict too, with an agent's failed reports by the measure's own rule; pooled shares \
     have them, and of a measure of which less is better `worst` is the upper end";
const RANKS: &str =
    "`rank` and `tier` are only of agents that are complete; the others stand below";
const PARTLY: &str = "an agent that lacks ratings of a panel has no rank if they leave more than a tenth of the scale open";
const BESIDE: &str = "`rank` and `tier` are only on the line of the measure that ranks";
const APART: &str = "the layouts name below the complete agents those that are not";

const fn papers(change: Change) -> Rule {
    Rule {
        of: "leaderboard-paper",
        change,
    }
}

/// A measure without the ends that it had.
fn without_bounds(mut measure: Value) -> Value {
    if let Some(fields) = measure.as_object_mut() {
        fields.remove("worst");
        fields.remove("best");
    }
    measure
}

fn nothing(_: Value) -> Value {
    Value::Null
}

fn no_text(_: Value) -> Value {
    "".into()
}

/// Ranks and tiers are by ACE, and on no other measure's line.
fn ranks_beside_ace(mut agent: Value) -> Value {
    let rows = agent.as_object_mut().expect("rows of an agent");
    for (measure, row) in rows.iter_mut() {
        if measure != "ace" {
            row["rank"] = "".into();
            row["tier"] = "".into();
        }
    }
    agent
}

/// A line of the table, whose first column is as wide as the line between the agents; the line
/// below the table stays.
fn wider(line: Value) -> Value {
    let text = line.as_str().expect("a line");
    let by = "no rank:".len() - "system".len();
    if let Some(rule) = text.chars().next().filter(|c| "─═".contains(*c)) {
        let n = text.chars().count() + by;
        return rule.to_string().repeat(n).into();
    }
    match text.strip_prefix(' ') {
        Some(_) => {
            let (name, rest) = text.split_at(1 + "system".len());
            format!("{name}{}{rest}", " ".repeat(by)).into()
        }
        None => line,
    }
}

const fn board(change: Change) -> Rule {
    Rule {
        of: "leaderboard",
        change,
    }
}

const fn reports(change: Change) -> Rule {
    Rule {
        of: "reports-list",
        change,
    }
}

const fn rescore(change: Change) -> Rule {
    Rule {
        of: "rescore",
        change,
    }
}

const fn config(change: Change) -> Rule {
    Rule {
        of: "config-show",
        change,
    }
}

/// Of each measure, how many key points it counts, of how many.
fn counts_by_measure(counts: Value) -> Value {
    let kinds = [
        ("ksr", "supported"),
        ("kcr", "conflicting"),
        ("kor", "omitted"),
    ];
    let all: u64 = kinds.iter().map(|(_, kind)| number(&counts[kind])).sum();
    let mut by_measure = json!({});
    for (measure, kind) in kinds {
        by_measure[measure] = json!({
            "numerator": counts[kind],
            "denominator": format!("#{all}"),
            "unscored": counts["unscored"],
        });
    }
    by_measure
}

fn number(text: &Value) -> u64 {
    let digits = text.as_str().and_then(|text| text.strip_prefix('#'));
    digits
        .and_then(|digits| digits.parse().ok())
        .expect("a whole number")
}

const BY: &str = "`options/by` is a list of facets";

fn as_list(facet: Value) -> Value {
    match facet {
        Value::Null => json!([]),
        facet => json!([facet]),
    }
}

fn by_ace(repeated: Value) -> Value {
    match repeated {
        Value::Null => json!({}),
        repeated => json!({ "ace": repeated }),
    }
}

fn instruments(way: Value) -> Value {
    json!({ "instruments": [
        {
            "instrument": "ace/rating/1",
            "models": way["rating"],
            "settings": { "repeats": way["repeats"] },
        },
        {
            "instrument": "kae/relation/1",
            "models": way["relation"],
            "settings": { "key_points": way["points"] },
        },
    ] })
}

const fn card(change: Change) -> Rule {
    Rule {
        of: "rank-report",
        change,
    }
}

/// The words of a check of the audit card, before and today.
const WORDS: [(&str, &str); 13] = [
    ("sense, ", "better than chance, "),
    ("first side wins, ", "position bias, "),
    (
        "same winner with sides exchanged",
        "same winner with sides swapped",
    ),
    ("sharpness, ", "discrimination, "),
    ("circles", "intransitivity"),
    (", first side +", ", position bias +"),
    (
        "sides are drawn at random, so that a fair judge",
        "share won by the side shown first; sides are drawn at random, so that a fair judge",
    ),
    (
        "how much the verdicts follow the strengths next to the first judge's; logits for the first side",
        "how steeply the verdicts follow the strengths, relative to the first judge; position bias in logits for the side shown first",
    ),
    (
        "what has no verdict counts for nobody",
        "a judgement without a verdict changes no strength",
    ),
    ("sense", "better than chance"),
    ("first side wins", "position bias"),
    ("0.50 is what a coin reaches", "0.50 is chance"),
    (
        "whether earlier verdicts predict later ones; 0 is what a coin reaches",
        "whether earlier verdicts predict later ones; 0 is chance",
    ),
];

fn warning(text: Value) -> Value {
    let said = text.as_str().expect("a text");
    said.replace(
        "is not told from chance yet",
        "is not shown to be better than chance yet",
    )
    .into()
}

fn check(mut check: Value) -> Value {
    for key in ["name", "value", "meaning"] {
        if let Some(text) = check[key].as_str() {
            let worded = WORDS.iter().fold(text.to_owned(), |text, (before, today)| {
                if text.starts_with(before) || before.starts_with(',') {
                    text.replacen(before, today, 1)
                } else {
                    text
                }
            });
            check[key] = worded.into();
        }
    }
    check
}
