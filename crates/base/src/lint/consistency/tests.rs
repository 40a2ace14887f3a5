//! Planted contradictions and clean reports full of traps, those that rules were fitted to and
//! those that were kept aside.

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Planted {
    name: String,
    kind: Kind,
    first: String,
    second: String,
    #[serde(default)]
    kept_aside: bool,
    text: String,
}

#[derive(Deserialize)]
struct Clean {
    name: String,
    #[serde(default)]
    kept_aside: bool,
    text: String,
}

fn planted() -> Vec<Planted> {
    #[derive(Deserialize)]
    struct Reports {
        report: Vec<Planted>,
    }
    let file: Reports = toml::from_str(include_str!("tests/planted.toml")).unwrap();
    file.report
}

fn clean() -> Vec<Clean> {
    #[derive(Deserialize)]
    struct Reports {
        report: Vec<Clean>,
    }
    let file: Reports = toml::from_str(include_str!("tests/clean.toml")).unwrap();
    file.report
}

impl Planted {
    fn is(&self, conflict: &Conflict) -> bool {
        let in_order = |first: &Place, second: &Place| {
            first.quote.contains(&self.first) && second.quote.contains(&self.second)
        };
        conflict.kind == self.kind
            && (in_order(&conflict.first, &conflict.second)
                || in_order(&conflict.second, &conflict.first))
    }
}

/// The planted contradictions that are not found, and what is found besides, in one half.
fn measure(kept_aside: bool) -> (Vec<String>, Vec<String>) {
    let (mut missed, mut false_alarms) = (Vec::new(), Vec::new());
    for report in planted()
        .iter()
        .filter(|report| report.kept_aside == kept_aside)
    {
        let found = check(&report.text);
        if !found.iter().any(|conflict| report.is(conflict)) {
            missed.push(report.name.clone());
        }
        let others = found.iter().filter(|conflict| !report.is(conflict));
        false_alarms.extend(others.map(|other| format!("{}: {}", report.name, other.what)));
    }
    for report in clean()
        .iter()
        .filter(|report| report.kept_aside == kept_aside)
    {
        let found = check(&report.text);
        false_alarms.extend(
            found
                .iter()
                .map(|other| format!("{}: {}", report.name, other.what)),
        );
    }
    (missed, false_alarms)
}

/// What is missed and what is alarmed falsely in a half, as it was measured.
fn assert_measured(kept_aside: bool, missed: &[&str], false_alarms: &[&str]) {
    let (missing, alarms) = measure(kept_aside);
    assert_eq!(missing, missed, "missed");
    assert_eq!(alarms, false_alarms, "false alarms");
}

#[test]
fn the_half_that_the_rules_were_written_by() {
    assert_measured(false, &["dose"], &[]);
}

/// First measured with 9 of 15 found and no false alarm; since then one fault was mended that it
/// showed (Chinese verbs were taken for English participles), and no rule was made for it.
#[test]
fn the_half_that_was_kept_aside() {
    let missed = [
        // "In Bergen it reached": what "it" is, is not looked for.
        "ferries",
        // One of the two says whose market, the other leaves it out.
        "银发经济",
        // A label and a sentence, under two headings that both say something.
        "grants",
        // One sentence names the givers, the other does not.
        "veridian",
        // The subject comes after the amount.
        "storage",
    ];
    assert_measured(true, &missed, &[]);
}

#[test]
fn the_reports_are_as_many_as_they_should_be() {
    let count = |kind: Kind| {
        planted()
            .iter()
            .filter(|report| report.kind == kind)
            .count()
    };
    let kinds = [Kind::Number, Kind::Date, Kind::Unit, Kind::Sum].map(count);
    assert_eq!((kinds, clean().len()), ([8, 8, 6, 8], 30));
    let aside = planted().iter().filter(|report| report.kept_aside).count();
    assert_eq!(
        (
            aside,
            clean().iter().filter(|report| report.kept_aside).count()
        ),
        (15, 15)
    );
}

fn said(report: &str) -> Vec<String> {
    check(report)
        .into_iter()
        .map(|conflict| conflict.what)
        .collect()
}

#[test]
fn places_are_quotes_of_the_report() {
    let report = "# Über Zürich\n\nThe Zürich line costs 5 francs [1].\n\n\
                  | Line | Cost |\n|---|---|\n\n\
                  In short: the Zürich line costs 9 francs.\n\n[1]: https://a.org\n";
    let found = check(report);
    assert_eq!(found.len(), 1, "{found:?}");
    let chars: Vec<char> = report.chars().collect();
    for place in [&found[0].first, &found[0].second] {
        let quoted: String = chars[place.start..place.end].iter().collect();
        assert_eq!(quoted, place.quote);
    }
    assert_eq!((found[0].first.line, found[0].second.line), (3, 8));
    let first = &found[0].first.quote;
    assert_eq!(first, "The Zürich line costs 5 francs [1].");
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!(
        (&json["kind"], &json["second"]["line"]),
        (&"number".into(), &8.into())
    );
}

#[test]
fn what_is_hidden_states_nothing() {
    let twice = |between: &str| said(&format!("The Aral line costs 5 francs.\n\n{between}\n"));
    assert_eq!(twice("So the Aral line costs 9 francs.").len(), 1);
    assert!(twice("```\nThe Aral line costs 9 francs.\n```").is_empty());
    assert!(twice("## References\n\n1. The Aral line costs 9 francs. https://a.org/9").is_empty());
}

/// Whether two figures of one thing disagree.
fn disagree(first: &str, second: &str) -> bool {
    let report = format!("The Aral line costs {first}.\n\nThe Aral line costs {second}.\n");
    !said(&report).is_empty()
}

#[test]
fn figures_agree_as_far_as_they_are_rounded() {
    for (first, second) in [
        ("4.2 billion dollars", "4,200 million dollars"),
        ("$4 billion", "$4.2bn"),
        ("12 %", "12 percent"),
        ("about 40 francs", "41 francs"),
        ("1,200 francs", "1,187 francs"),
        ("5 euros", "6 dollars"),
        ("about 5 euros", "about 5 dollars"),
        ("0.5 kg", "500 g"),
        ("more than 40 francs", "60 francs"),
        ("40 to 60 francs", "70 francs"),
        ("100 °C", "212 °F"),
        ("3万元", "30000元"),
    ] {
        assert!(!disagree(first, second), "{first} / {second}");
    }
    for (first, second) in [
        ("4.2 billion dollars", "4,300 million dollars"),
        ("12 %", "14 percent"),
        ("about 40 francs", "55 francs"),
        ("$1,200", "$1,020"),
        ("55 euros", "55 dollars"),
        ("0.5 kg", "0.5 g"),
        ("100 °C", "100 °F"),
        ("3万元", "3亿元"),
    ] {
        assert!(disagree(first, second), "{first} / {second}");
    }
}

#[test]
fn dates_agree_as_far_as_they_are_given() {
    let differ = |first: &str, second: &str| {
        let report =
            format!("The Aral line opened in {first}.\n\nThe Aral line opened in {second}.\n");
        !said(&report).is_empty()
    };
    for (first, second) in [
        ("2016", "June 2016"),
        ("2016-06-14", "June 14, 2016"),
        ("Q2 2016", "June 2016"),
        ("the second quarter of 2016", "2016年6月"),
    ] {
        assert!(!differ(first, second), "{first} / {second}");
    }
    for (first, second) in [
        ("2016", "June 2015"),
        ("14 June 2016", "16 June 2016"),
        ("Q2 2016", "July 2016"),
    ] {
        assert!(differ(first, second), "{first} / {second}");
    }
}

#[test]
fn numbers_that_name_something_are_no_amounts() {
    let twice = |first: &str, second: &str| {
        said(&format!(
            "{first} is stable and small.\n\n{second} is stable and small.\n"
        ))
    };
    assert!(twice("Kestrel 1.0", "Kestrel 2.0").is_empty());
    assert!(twice("The Kestrel phase 1", "The Kestrel phase 2").is_empty());
    assert!(said("The Aral line has 5 stops.\n\nThe Aral line has 9 stops.").len() == 1);
}

#[test]
fn arithmetic_in_a_sentence() {
    for wrong in [
        "We saw a total of 12 people (5 men and 8 women).",
        "Three of 10 people (40 %) left.",
        "Sales grew from 40 to 50 (a 30 % increase).",
        "销量从40万吨增长到50万吨，增幅30%。",
    ] {
        assert_eq!(said(wrong).len(), 1, "{wrong}");
    }
    for right in [
        "We saw a total of 13 people (5 men and 8 women).",
        "We saw 20 people (among them 5 men and 8 women).",
        "Four of 10 people (40 %) left.",
        "Sales grew from 40 to 50 (a 25 % increase).",
        "The share grew from 40 % to 50 % (a 10 % increase).",
        "Sales grew from 40 to 50 (a growth of 5 % a year).",
        "销量从40万吨增长到50万吨，增幅25%。",
    ] {
        assert_eq!(said(right), Vec::<String>::new(), "{right}");
    }
}

/// Reports of strangers: whatever they repeat, twice as long a report takes twice as much.
#[test]
fn hostile_reports_take_linear_time() {
    let shapes: [(&str, &str); 12] = [
        ("1", ""),
        ("", "the price is 1,234 "),
        ("", "| a | b |\n|---|---|\n| x y | 1 |\n| Total | 3 |\n\n"),
        ("", "|a|\n|-|\n\n"),
        ("", "The Bergen line cost 5 dollars, and "),
        ("((((", "5 of 10 "),
        ("“\"", "The cost “is 5 ("),
        ("", "恒远铝业的年产量为35万吨，"),
        ("", "from 5 to 6 (a 30 % increase) "),
        ("", "- Alpha Beta cost: 5\n"),
        ("# T\n", "## The Xyz\nThe price of the Xyz is 5 dollars.\n"),
        ("", "May 5 2020 "),
    ];
    for (first, again) in shapes {
        let report = |length: usize| {
            let (first, times) = (first.repeat(length), length / again.len().max(1));
            format!(
                "{first}{}",
                again.repeat(if again.is_empty() { 0 } else { times })
            )
        };
        let taken = |length: usize| steps::taken_by(|| check(&report(length))).1;
        let (once, twice) = (taken(40_000), taken(80_000));
        assert!(twice <= once * 5 / 2 + 1_000, "{again}: {once} and {twice}");
    }
}

mod any_report {
    use proptest::prelude::*;

    use super::*;

    const PARTS: &[&str] = &[
        "The Aral line costs ",
        "5 francs",
        "9 francs",
        ". ",
        "\n\n",
        "| ",
        " |",
        "\n",
        "|---|---|\n",
        "Total",
        "- ",
        "# ",
        "（",
        "(",
        ") ",
        "5 of 10 ",
        "40 %",
        "2016年3月",
        "年",
        "万",
        "亿",
        "from ",
        "to ",
        "，",
        "1,23",
        "0.",
        "-",
        "`",
        "**",
        "[1]",
        "é",
        "\u{301}",
        "公司",
        "Q3 ",
        "2022",
        "°",
        "$",
        "US$",
        "999999999999999999999",
        "\r",
        "\u{a0}",
        "founded in ",
        ":",
    ];

    proptest! {
        #[test]
        fn quotes_are_spans(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
            let report = parts.concat();
            let chars: Vec<char> = report.chars().collect();
            for conflict in check(&report) {
                for place in [&conflict.first, &conflict.second] {
                    let quoted: String = chars[place.start..place.end].iter().collect();
                    prop_assert_eq!(&quoted, &place.quote);
                    prop_assert!(!quoted.trim().is_empty());
                }
            }
        }
    }
}
