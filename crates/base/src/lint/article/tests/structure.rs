//! Articles with one fault of structure each, and what only looks so.

use super::*;

/// Whether a kind of structure is found, and why not if it was not looked for.
fn outcome(article: &str, kind: Kind) -> Result<Vec<String>, Reason> {
    match check(article).outcome(kind) {
        Outcome::Checked(found) => Ok(found.iter().map(|of| of.words.clone()).collect()),
        Outcome::NotChecked(reason) => Err(*reason),
    }
}

fn found(article: &str, kind: Kind, expect: &[&str]) {
    let expect = expect.iter().map(|words| (*words).to_owned()).collect();
    assert_eq!(outcome(article, kind), Ok(expect), "{article}");
}

#[test]
fn a_lead_stands_above_the_first_section() {
    let kind = Kind::DividedLead;
    found(
        "# Orrin\n\nOrrin is a town.\n\n## History\n\nIt is old.\n",
        kind,
        &[],
    );
    found("Orrin is a town.\n\n## History\n\nIt is old.\n", kind, &[]);
    found(
        "# Orrin\n\nOrrin is a town.\n\n# History\n\nIt is old.\n",
        kind,
        &[],
    );
    found(
        "# Orrin\n\n## History\n\nIt is old.\n",
        kind,
        &["## History"],
    );
    found(
        "# Orrin\n\n## Lead\n\nOrrin is a town.\n",
        kind,
        &["## Lead"],
    );
    found(
        "# Orrin\n\nOrrin is:\n\n- a town\n\n## History\n\nIt is old.\n",
        kind,
        &["a town"],
    );
    found(
        "# Orrin\n\nOrrin is a town.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## History\n\nOld.\n",
        kind,
        &["| a | b |"],
    );
    let none = outcome("# Orrin\n\nOrrin is a town.\n", kind);
    assert_eq!(none, Err(Reason::NoSections));
}

#[test]
fn a_lead_without_a_source_is_a_fault_where_the_rest_has_some() {
    let kind = Kind::UnsourcedLead;
    let list = "\n## References\n\n[1] Board. https://a.org/1\n";
    let article =
        |lead: &str, body: &str| format!("# Orrin\n\n{lead}\n\n## History\n\n{body}\n{list}");
    let text = article("Orrin is a town.", "It is old [1].");
    found(&text, kind, &["Orrin is a town."]);
    found(&article("Orrin is a town [1].", "It is old."), kind, &[]);
    let none = outcome(&article("Orrin is a town.", "It is old."), kind);
    assert_eq!(none, Err(Reason::NoCitations));
    let chinese = "# 奥林\n\n奥林是一座城。\n\n## 历史\n\n它很古老[1]。\n\n## 参考文献\n\n[1] 甲。https://a.org/1\n";
    found(chinese, kind, &["奥林是一座城。"]);
}

#[test]
fn figures_that_only_the_lead_has() {
    let kind = Kind::OnlyInLead;
    let article = |last: &str, body: &str| {
        format!(
            "# Orrin\n\nOrrin is a town of 1871. It lies in Fife. {last}\n\n## History\n\n{body}\n"
        )
    };
    found(
        &article("It has 4,210 people.", "It grew."),
        kind,
        &["4,210"],
    );
    found(
        &article("It has 4,210 people.", "It has 4210 people."),
        kind,
        &[],
    );
    found(
        &article("It has about 4,200 people.", "It has 4,210 people."),
        kind,
        &[],
    );
    found(
        &article("It cost 2.5 million.", "It cost 2,480,000 francs."),
        kind,
        &[],
    );
    found(
        &article("It cost 2.5 million.", "It cost 2.5 francs."),
        kind,
        &["2.5"],
    );
    found(
        &article("It opened in 1904.", "It opened in 1905."),
        kind,
        &["1904"],
    );
    found(
        &article("It closed on 12 May.", "On May 12, it closed."),
        kind,
        &[],
    );
    found(
        &article("It closed on 12 May.", "On June 12, it closed."),
        kind,
        &["12"],
    );
    found(
        &article("It met on 7–12 May.", "From 7 to 12 May it met."),
        kind,
        &[],
    );
    found(&article("It has twelve rooms.", "It has rooms."), kind, &[]);
    found(
        &article("It has 12 rooms.", "It has twelve rooms."),
        kind,
        &[],
    );
    found(
        &article("It has 3 rooms, KZ2 and COVID-19.", "It grew."),
        kind,
        &[],
    );
    found(&article("As of 2025, it grows.", "It grew."), kind, &[]);
    found(
        &article(
            "It has 4,210 people.",
            "| People |\n|---|\n| 4,210 |\n\nIt grew.",
        ),
        kind,
        &[],
    );
    let none = outcome("# Orrin\n\nOrrin is a town of 1871.\n", kind);
    assert_eq!(none, Err(Reason::NoSections));
    let chinese = "# 奥林\n\n奥林是城。它在北方。它有42000人。\n\n## 历史\n\n它有4.2万人。\n";
    found(chinese, kind, &[]);
    let other = chinese.replace("4.2万", "5万");
    found(&other, kind, &["42000"]);
}

#[test]
fn a_lead_is_no_essay() {
    let kind = Kind::LongLead;
    let article = |words: usize| {
        format!(
            "# Orrin\n\n{}\n\n## History\n\nOld.\n",
            "town ".repeat(words)
        )
    };
    found(&article(500), kind, &[]);
    assert_eq!(outcome(&article(501), kind).map(|found| found.len()), Ok(1));
    let paragraphs = format!(
        "# Orrin\n\n{}## History\n\nOld.\n",
        "It is a town.\n\n".repeat(7)
    );
    assert_eq!(outcome(&paragraphs, kind).map(|found| found.len()), Ok(1));
    let none = outcome("# Orrin\n\n## History\n\nIt is old.\n", kind);
    assert_eq!(none, Err(Reason::NoLead));
}

#[test]
fn a_title_is_one_name() {
    let kind = Kind::CombinedTitle;
    let article = |title: &str| format!("# {title}\n\nIt is a town.\n");
    for two in [
        "Orrin / Orrenburg",
        "Orrin (also known as Orrenburg)",
        "Orrin (formerly Orrenburg)",
        "奥林（又名奥伦堡）",
    ] {
        let heading = format!("# {two}");
        found(&article(two), kind, &[heading.as_str()]);
    }
    for one in [
        "Orrin (album)",
        "Orrin (Ines Holm song)",
        "Frost/Nixon",
        "AC/DC",
        "2008 / 09",
        "Orrin: A History of the Town",
        "Orrin or the Sea",
    ] {
        found(&article(one), kind, &[]);
    }
    assert_eq!(outcome("It is a town.\n", kind), Err(Reason::NoTitle));
}

#[test]
fn long_sections_cite_something() {
    let kind = Kind::UncitedSection;
    let long = "The town has a lock on the canal in the north. ".repeat(6);
    let list = "\n## References\n\n[1] Board. https://a.org/1\n";
    let article = |heading: &str, body: &str| {
        format!("# Orrin\n\nOrrin is a town [1].\n\n## {heading}\n\n{body}\n{list}")
    };
    found(&article("History", &long), kind, &["## History"]);
    found(&article("History", &format!("{long} [1]")), kind, &[]);
    found(&article("History", "It is old."), kind, &[]);
    found(&article("Plot", &long), kind, &[]);
    found(&article("See also", &long), kind, &[]);
    let none = outcome(
        &format!("# Orrin\n\nOrrin.\n\n## History\n\n{long}\n"),
        kind,
    );
    assert_eq!(none, Err(Reason::NoCitations));
}
