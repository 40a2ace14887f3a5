//! Files: round trips with their order, unknown fields, typed values, articles, problems.

use serde_json::{Value, json};

use super::samples::{
    self, article_value, citation_value, text, verifiability_value, writing_value,
};
use crate::benchmarks::wiki_live_challenge::{
    files::{
        AgenciesFile, Agency, ArticleFile, Cause, Field, GoldStatement, GoldStatements, JsonFile,
        MarkdownFile, Named, RawWiki, RefIdx, Spot, Statement, Summary, Tasks, UrlOrUrls,
        WritingFile, round_trip,
    },
    layout::FileKind,
};

fn raw_wiki_value() -> Value {
    json!({
        "batchcomplete": "",
        "query": {
            "normalized": [{"from": "Bridge_of_Ölten", "to": "Bridge of Ölten"}],
            "pages": {"9": {"pageid": 9, "ns": 0, "title": "Bridge of Ölten", "extract": "Long.",
                            "extract_with_tables": "Long.\n| a | b |", "tables": []}}
        },
        "parse": {"title": "Bridge of Ölten", "pageid": 9, "redirects": [], "sections": [
            {"toclevel": 1, "level": "2", "line": "History", "number": "1", "index": "1",
             "fromtitle": "Bridge_of_Ölten", "anchor": "History", "linkAnchor": "History"}
        ], "showtoc": ""},
        "revisions": {"batchcomplete": true},
        "fetched_at": 1_766_000_000
    })
}

fn samples_by_kind() -> Vec<(FileKind, Value)> {
    let summary = |fields: Value| (FileKind::Summary, fields);
    vec![
        (
            FileKind::Tasks,
            json!([{"id": 3, "title": "A", "url": "u", "question": "写"}]),
        ),
        (FileKind::RawWiki, raw_wiki_value()),
        (
            FileKind::GoldStatements,
            json!([{"statement": "It is long."}, "bare"]),
        ),
        (
            FileKind::Agencies,
            json!({"description": "d", "version": "1.0", "agencies": {
                "wren": {"name": "Wren", "description": "", "has_citations": true, "enabled": false}
            }}),
        ),
        (FileKind::AgencyJson, article_value()),
        (FileKind::Writing, writing_value(3)),
        (
            FileKind::Verifiability,
            verifiability_value(&["consistent"], &["not_support"]),
        ),
        (
            FileKind::Citation,
            citation_value(3, &[(0, "1", "support")]),
        ),
        summary(
            json!({"total_articles": 1, "total_gen_wins": 2, "total_gt_wins": 37,
                       "total_ties": 0, "gen_win_rate": 0.05}),
        ),
        summary(
            json!({"total_articles": 1, "avg_gen_supported_by_wiki": 0.3,
                       "avg_gen_conflict_with_wiki": 0.1, "avg_wiki_covered_by_gen": 0.2}),
        ),
        summary(
            json!({"total_articles": 1, "completed_articles": 1, "avg_support_ratio": 0.5,
                       "avg_conflict_ratio": 0.0}),
        ),
    ]
}

/// Every object of a value with one more field in front, so that no order is the format's.
fn with_news(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let news = ("new".to_owned(), json!({"深": [1, 2.5, null]}));
            let rest = fields
                .iter()
                .map(|(name, value)| (name.clone(), with_news(value)));
            Value::Object([news].into_iter().chain(rest).collect())
        }
        Value::Array(items) => items.iter().map(with_news).collect(),
        other => other.clone(),
    }
}

/// Every object of a value backwards.
fn backwards(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().rev();
            Value::Object(
                fields
                    .map(|(name, value)| (name.clone(), backwards(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(backwards).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_kind_is_written_as_it_was_read() {
    for (kind, value) in samples_by_kind() {
        for value in [value.clone(), backwards(&value)] {
            for file in [text(&value), text(&value) + "\n", value.to_string()] {
                let trip = round_trip(kind, "f", file.as_bytes()).unwrap();
                assert_eq!(trip.differences, [], "{}", kind.word());
                assert_eq!(trip.problems, [], "{}", kind.word());
            }
        }
    }
}

#[test]
fn unknown_fields_stay_where_they_are() {
    for (kind, value) in samples_by_kind() {
        let file = text(&with_news(&value));
        let trip = round_trip(kind, "f", file.as_bytes()).unwrap();
        assert_eq!(trip.differences, [], "{}", kind.word());
    }
}

/// A value of another kind at any place is kept and told, and loses nothing beside it.
#[test]
fn any_value_anywhere_is_kept() {
    fn places(value: &Value, path: &str, out: &mut Vec<String>) {
        let fields: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), v)).collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(k, v)| (k.to_string(), v))
                .collect(),
            _ => Vec::new(),
        };
        for (name, value) in fields {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            places(value, &path, out);
            out.push(path);
        }
    }
    let mut read = 0;
    for (kind, value) in samples_by_kind() {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        for place in all {
            for other in [
                json!(null),
                json!(-1.5),
                json!("x"),
                json!([[]]),
                json!({"a": {}}),
            ] {
                let mut value = value.clone();
                *value.pointer_mut(&place).unwrap() = other;
                let trip = round_trip(kind, "f", text(&value).as_bytes()).unwrap();
                assert_eq!(trip.differences, [], "{} {place}", kind.word());
                read += 1;
            }
        }
    }
    assert!(read > 500, "{read}");
}

#[test]
fn fields_of_another_kind_are_told_with_their_path() {
    let mut value = article_value();
    let page = value.pointer_mut("/query/pages/4711").unwrap();
    page["statements"][1]["ref_idx"] = json!({"n": 1});
    page["citation_urls"]["2"] = json!(7);
    let read = JsonFile::<ArticleFile>::read("wren/a.json", text(&value).as_bytes()).unwrap();
    let told: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].contains("`query.pages.4711.citation_urls.2`: expected a text"),
        "{}",
        told[0]
    );
    assert!(
        told[1].contains("`query.pages.4711.statements[1].ref_idx`"),
        "{}",
        told[1]
    );
    assert!(
        told.iter()
            .all(|told| told.contains("\nhint: ") && told.contains("wren/a.json"))
    );
}

#[test]
fn what_does_not_come_out_as_it_went_in_says_why() {
    let differences = |file: &str| {
        let trip = round_trip(FileKind::GoldStatements, "f", file.as_bytes()).unwrap();
        trip.differences
            .into_iter()
            .map(|different| different.cause)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        differences("[{\"statement\": \"a\", \"statement\": \"b\"}]"),
        [Cause::RepeatedKey]
    );
    let number = Cause::Number {
        written: "1.50".to_owned(),
        again: "1.5".to_owned(),
    };
    assert_eq!(
        differences("[{\"statement\": \"a\", \"n\": 1.50}]"),
        [number]
    );
    assert_eq!(differences("[ {\"statement\": \"a\"} ]"), [Cause::Spelling]);
    assert_eq!(differences("[{\"statement\": \"\\/\"}]"), [Cause::Spelling]);
    assert_eq!(
        differences("[{\"statement\": \"a\"}]\n\n"),
        [Cause::Spelling]
    );
    assert_eq!(differences("[{\"statement\": \"a\"}]\n"), []);
}

#[test]
fn repeated_keys_are_problems() {
    let file = b"{\"agencies\": {\"a\": {\"name\": \"x\",\n\"name\": \"y\"}}}";
    let read = JsonFile::<AgenciesFile>::read("agencies.json", file).unwrap();
    let [problem] = read.problems.as_slice() else {
        panic!("{:?}", read.problems)
    };
    assert_eq!(
        problem.spot,
        Spot::LineField(2, "agencies.a.name".to_owned())
    );
}

#[test]
fn files_of_ours_are_written_from_typed_values() {
    let statement = Statement {
        fact: "It is long.".to_owned().into(),
        ref_idx: RefIdx::new(&["1", "2"]).into(),
        url: UrlOrUrls::new(&["https://a.test"]).into(),
        ..Statement::default()
    };
    let written = serde_json::to_value(&statement).unwrap();
    let expected = json!({"fact": "It is long.", "ref_idx": ["1", "2"], "url": "https://a.test"});
    assert_eq!(written, expected);
    assert_eq!(
        serde_json::to_value(RefIdx::new(&["1"])).unwrap(),
        json!("1")
    );
    let agency = Agency {
        name: "Wren".to_owned().into(),
        enabled: true.into(),
        ..Agency::default()
    };
    let file = AgenciesFile {
        agencies: Named(vec![("wren".to_owned(), agency.into())]).into(),
        ..AgenciesFile::default()
    };
    let text = JsonFile::from(file.clone()).write();
    assert_eq!(
        text,
        "{\n  \"agencies\": {\n    \"wren\": {\n      \"name\": \"Wren\",\n      \
         \"enabled\": true\n    }\n  }\n}"
    );
    let read = JsonFile::<AgenciesFile>::read("a", text.as_bytes())
        .unwrap()
        .value;
    assert_eq!(read.content, file);
    assert_eq!(read.content.folders().collect::<Vec<_>>(), ["wren"]);
    let statements: GoldStatements = vec![GoldStatement::new("长").into()];
    assert_eq!(
        JsonFile::from(statements).write(),
        "[\n  {\n    \"statement\": \"长\"\n  }\n]"
    );
}

#[test]
fn changed_fields_are_written_in_place_and_new_ones_last() {
    let file = "{\n  \"topic\": \"a\",\n  \"own\": 1,\n  \"details\": {},\n  \"mode\": \"m\"\n}";
    let mut read = JsonFile::<WritingFile>::read("f", file.as_bytes())
        .unwrap()
        .value;
    read.content.mode = Field::Absent;
    read.content.topic = "b".to_owned().into();
    read.content.allow_tie = true.into();
    read.content.rest.insert("late".to_owned(), json!(2));
    assert_eq!(
        read.write(),
        "{\n  \"topic\": \"b\",\n  \"own\": 1,\n  \"details\": {},\n  \"allow_tie\": true,\n  \
         \"late\": 2\n}"
    );
}

#[test]
fn texts_of_statements_whatever_their_form() {
    let mut value = article_value();
    let statements = json!([{"statement": "a"}, "b", 5, {"fact": "c", "statement": "d"}, {}]);
    value["query"]["pages"]["4711"]["statements"] = statements;
    let file: ArticleFile = samples::read_broken(&value);
    let texts: Vec<(usize, &str)> = file.page().unwrap().1.statement_texts().collect();
    assert_eq!(texts, [(0, "a"), (1, "b"), (3, "c")]);
}

#[test]
fn numbers_of_citations() {
    let numbers = |value: Value| {
        let statement = json!({"fact": "x", "ref_idx": value});
        let mut article = article_value();
        article["query"]["pages"]["4711"]["statements"] = json!([statement]);
        let file: ArticleFile = samples::read(&article);
        file.page()
            .unwrap()
            .1
            .statements()
            .next()
            .unwrap()
            .1
            .numbers()
    };
    let none: [&str; 0] = [];
    assert_eq!(numbers(json!("3")), ["3"]);
    assert_eq!(numbers(json!(3)), ["3"]);
    assert_eq!(numbers(json!(["3", 4, " 3 ", "0", ""])), ["3", "4"]);
    for nothing in [json!(null), json!("0"), json!(0), json!(""), json!([])] {
        assert_eq!(numbers(nothing), none);
    }
}

#[test]
fn the_text_of_an_article_is_the_first_of_four() {
    let mut article = article_value();
    let title = "Bridge_of_Ölten";
    let text_of = |article: &Value| samples::read::<ArticleFile>(article).article("s").unwrap();
    assert_eq!(text_of(&article).title, title);
    for (field, words) in [
        ("extract_with_citations", "cited"),
        ("extract_with_tables", "tables"),
        ("markdown", "down"),
    ] {
        article["query"]["pages"]["4711"][field] = json!(words);
        assert_eq!(text_of(&article).text, words);
    }
    article["query"]["pages"]["4711"]["markdown"] = json!(" \n");
    assert_eq!(text_of(&article).text, "tables");
    article["query"]["pages"] = json!({});
    assert_eq!(samples::read::<ArticleFile>(&article).article("s"), None);
}

#[test]
fn pages_are_found_under_their_older_name() {
    let mut article = article_value();
    let page = article["query"]["pages"]["4711"].as_object_mut().unwrap();
    let contents = page.shift_remove("citation_contents").unwrap();
    page.insert("url_contents".to_owned(), contents);
    let file: ArticleFile = samples::read(&article);
    let page = file.page().unwrap().1;
    assert_eq!(
        page.contents().unwrap().get("2").unwrap().failure(),
        Some("timed out")
    );
    let trip = round_trip(FileKind::AgencyJson, "f", text(&article).as_bytes()).unwrap();
    assert_eq!(trip.differences, []);
}

#[test]
fn lines_of_the_reader_on_top_are_no_part_of_an_article() {
    let file = "Title: Bridge of Ölten\n\nURL Source: https://x.test\nPublished Time: 2025\n\
                Markdown Content:\n# The bridge\nIt is long.\nCitations:\n\
                The Title: is in a line.\n";
    let markdown = MarkdownFile::read("a.md", file.as_bytes()).unwrap();
    let article = markdown.article("stem");
    assert_eq!(article.title, "Bridge of Ölten");
    assert_eq!(
        article.text,
        "\n# The bridge\nIt is long.\nCitations:\nThe Title: is in a line.\n"
    );
    assert_eq!(markdown.write(), file);
    let title = |text: &str| {
        MarkdownFile {
            text: text.to_owned(),
        }
        .article("stem")
        .title
    };
    assert_eq!(title("words\n## 桥 ##\nmore"), "桥");
    assert_eq!(title("#hashtag\nwords"), "stem");
    assert_eq!(title("Title:  \n# One"), "One");
    assert_eq!(title(""), "stem");
}

#[test]
fn raw_pages_have_text_and_headings() {
    let raw: RawWiki = samples::read(&raw_wiki_value());
    let article = raw.article("s").unwrap();
    assert_eq!(article.text, "Long.\n| a | b |");
    let headings: Vec<&String> = raw
        .sections()
        .filter_map(|section| section.line.get())
        .collect();
    assert_eq!(headings, ["History"]);
}

#[test]
fn statements_may_be_bare_texts() {
    let value = json!([{"fact": "a", "statement": "b"}, {"statement": "c"}, "d"]);
    let statements: GoldStatements = samples::read(&value);
    let texts: Vec<&str> = statements
        .iter()
        .map(|field| field.get().unwrap().text().unwrap())
        .collect();
    assert_eq!(texts, ["a", "c", "d"]);
    let broken = JsonFile::<GoldStatements>::read("s", b"[{\"other\": 1}, 5]").unwrap();
    assert_eq!(broken.problems.len(), 2);
}

#[test]
fn another_file_is_refused_with_a_hint() {
    let problem = JsonFile::<ArticleFile>::read("a.json", b"{\"pages\": {}}").unwrap_err();
    assert!(
        problem.to_string().contains("no field `query`"),
        "{problem}"
    );
    let problem = JsonFile::<Tasks>::read("t.json", b"{}").unwrap_err();
    assert!(problem.to_string().contains("not a list"), "{problem}");
    let problem = Summary::read("_summary.json", b"{\"total_articles\": 1}").unwrap_err();
    assert!(problem.to_string().contains("no summary"), "{problem}");
    let problem = JsonFile::<Tasks>::read("t.json", b"[\n\xff]").unwrap_err();
    assert_eq!(problem.spot, Spot::Line(2));
    let problem = MarkdownFile::read("a.md", b"a\nb\n\xc3(").unwrap_err();
    assert_eq!(problem.spot, Spot::Line(3));
}
