//! Each layout as its benchmark writes it, and what strangers' files hold besides.

use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;

struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs_err::write(path, bytes).expect("written");
        }
        Self(folder)
    }

    fn named(names: &[&str]) -> Self {
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, name.as_bytes())).collect();
        Self::new(&files)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Read {
        read(&self.path(name), None).expect("a layout")
    }

    fn error(&self, name: &str) -> String {
        format!("{:#}", read(&self.path(name), None).expect_err("no layout"))
    }

    /// Places of problems without the folder, and what is wrong.
    fn problems(&self, read: &Read) -> Vec<String> {
        let root = format!("{}/", self.0.path().display());
        read.problems
            .iter()
            .map(|p| format!("{}: {}", p.source.replace(&root, ""), p.message))
            .collect()
    }
}

fn lines(lines: &[Value]) -> String {
    lines
        .iter()
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

fn jsonl(text: &str) -> (Files, Read) {
    let files = Files::new(&[("reports.jsonl", text.as_bytes())]);
    let read = files.read("reports.jsonl");
    (files, read)
}

/// Agent, key and attempt of each report.
fn who(read: &Read) -> Vec<(Option<&str>, &str, u32)> {
    read.reports
        .iter()
        .map(|r| (r.agent.as_deref(), r.key.as_str(), r.attempt))
        .collect()
}

#[test]
fn records_of_deep_research_bench() {
    let (files, read) = jsonl(&lines(&[
        json!({"id": 1, "language": "zh", "prompt": "综述方言语音识别", "article": "# 综述\n\n正文[1]"}),
        json!({"id": "b-2", "prompt": "Survey", "article": "  "}),
        json!({"id": 3.0, "article": "Text"}),
    ]));
    assert_eq!(
        (read.layout, read.problems.len()),
        (Layout::DeepResearchBench, 0)
    );
    assert_eq!(
        who(&read),
        [(None, "1", 1), (None, "b-2", 1), (None, "3", 1)]
    );
    let first = &read.reports[0];
    assert_eq!(
        (first.prompt.as_deref(), first.text.as_str()),
        (Some("综述方言语音识别"), "# 综述\n\n正文[1]")
    );
    assert_eq!(Value::Object(first.more.clone()), json!({"language": "zh"}));
    assert_eq!(
        first.source,
        format!("{}:1", files.path("reports.jsonl").display())
    );
    assert_eq!(
        [first.state, read.reports[1].state, read.reports[2].state],
        [State::Ok, State::Empty, State::Ok]
    );
}

#[test]
fn a_list_of_researcher_bench() {
    let list = json!([
        {"id": 1, "question": "Why [ \"this\" ] {?", "response": "Because \\ of, [that]"},
        {"id": 2, "question": "What?", "response": "# Nothing"},
    ]);
    let text = format!(
        "\u{feff}\n {}\n",
        serde_json::to_string_pretty(&list).expect("JSON")
    );
    let files = Files::new(&[("list.json", text.as_bytes())]);
    let read = files.read("list.json");
    assert_eq!(
        (read.layout, read.problems.len()),
        (Layout::ResearcherBench, 0)
    );
    assert_eq!(who(&read), [(None, "1", 1), (None, "2", 1)]);
    assert_eq!(read.reports[0].text, "Because \\ of, [that]");
    assert_eq!(
        read.reports[1].source,
        format!("{}:8", files.path("list.json").display())
    );
}

#[test]
fn our_own_records_say_more() {
    let (_, read) = jsonl(&lines(&[
        json!({"task": "t_1", "agent": "a", "attempt": 2, "text": "x", "tokens": 9, "cost_usd": 0.5, "seconds": 3, "note": [1]}),
        json!({"task": "t_2", "agent": "a", "state": "timeout", "tokens": {"input": 5, "output": 7, "cached": 1}}),
        json!({"task": "t_3", "agent": null, "text": "", "state": "ok"}),
    ]));
    assert_eq!((read.layout, read.problems.len()), (Layout::Taskgen, 0));
    assert_eq!(
        who(&read),
        [
            (Some("a"), "t_1", 2),
            (Some("a"), "t_2", 1),
            (None, "t_3", 1)
        ]
    );
    let [first, second, third] = read.reports.as_slice() else {
        panic!("three reports")
    };
    let spent = AttemptCost {
        tokens: Some(9),
        cost_usd: Some(0.5),
        seconds: Some(3.0),
        ..AttemptCost::default()
    };
    assert_eq!(
        (first.spent, Value::Object(first.more.clone())),
        (spent, json!({"note": [1]}))
    );
    let spent = AttemptCost {
        input_tokens: Some(5),
        output_tokens: Some(7),
        ..AttemptCost::default()
    };
    assert_eq!(
        (second.spent, second.state, second.text.as_str()),
        (spent, State::Timeout, "")
    );
    assert_eq!(
        Value::Object(second.more.clone()),
        json!({"tokens": {"cached": 1}})
    );
    assert_eq!(third.state, State::Empty);
}

#[test]
fn folders_are_told_apart_by_the_names_in_them() {
    let check = |names: &[&str], layout: Layout, expect: &[(Option<&str>, &str, u32)]| {
        let files = Files::named(names);
        let read = files.read("");
        assert_eq!(
            (read.layout, read.problems.as_slice()),
            (layout, [].as_slice()),
            "{names:?}"
        );
        assert_eq!(who(&read), expect, "{names:?}");
        assert_eq!(
            read.reports[0].text.as_bytes(),
            fs_err::read(&read.reports[0].source).expect("its source")
        );
    };
    check(
        &["qid_a1_report.md", "qid_报告_report.md", "README.md"],
        Layout::LiveResearchBench,
        &[(None, "a1", 1), (None, "报告", 1)],
    );
    check(
        &["x/qid_1_report.md", "y/qid_1_report.md"],
        Layout::LiveResearchBench,
        &[(Some("x"), "1", 1), (Some("y"), "1", 1)],
    );
    check(
        &[
            "x/t_1/answer_1.md",
            "x/t_1/answer_2.md",
            "x/t_1/answer_1.meta.json",
        ],
        Layout::Mind2Web2,
        &[(Some("x"), "t_1", 1), (Some("x"), "t_1", 2)],
    );
    check(&["t_1/answer_3.md"], Layout::Mind2Web2, &[(None, "t_1", 3)]);
    check(
        &["x/md_data/Émile_Zola.md", "x/json_data/Émile_Zola.json"],
        Layout::WikiLiveChallenge,
        &[(Some("x"), "Émile_Zola", 1)],
    );
    check(
        &["md_data/A.md"],
        Layout::WikiLiveChallenge,
        &[(None, "A", 1)],
    );
    check(
        &["t_2.md", "t_1.MD", "notes.txt"],
        Layout::Folder,
        &[(None, "t_1", 1), (None, "t_2", 1)],
    );
    check(
        &["x/t_1.md", "y/t_1.md"],
        Layout::Folder,
        &[(Some("x"), "t_1", 1), (Some("y"), "t_1", 1)],
    );
}

#[test]
fn a_name_picks_one_agent_and_names_nobodys_reports() {
    let files = Files::named(&[
        "x/qid_1_report.md",
        "y/qid_1_report.md",
        "y/qid_2_report.md",
    ]);
    let picked = read(&files.path(""), Some("y")).expect("reports");
    assert_eq!(who(&picked), [(Some("y"), "1", 1), (Some("y"), "2", 1)]);
    let message = format!(
        "{:#}",
        read(&files.path(""), Some("z")).expect_err("nothing of z")
    );
    assert!(
        message.ends_with("holds nothing of the agent `z`\nhint: it holds reports of `x`, `y`"),
        "{message}"
    );

    let files = Files::named(&["t_1.md"]);
    assert_eq!(
        who(&read(&files.path(""), Some("z")).expect("reports")),
        [(Some("z"), "t_1", 1)]
    );
    let text = lines(&[
        json!({"task": "1", "agent": "x", "text": "a"}),
        json!({"task": "2", "text": "b"}),
    ]);
    let files = Files::new(&[("r.jsonl", text.as_bytes())]);
    assert_eq!(
        who(&read(&files.path("r.jsonl"), Some("z")).expect("reports")),
        [(Some("z"), "2", 1)]
    );
}

#[test]
fn a_broken_line_says_what_is_wrong_and_the_others_go_on() {
    let long = "x".repeat(crate::agents::report_text::MOST_BYTES + 1);
    let broken = [
        json!({"id": 7, "article": 5}),
        json!({"id": 7}),
        json!({"article": "x"}),
        json!({"id": "", "article": "x"}),
        json!({"id": true, "article": "x"}),
        json!({"id": "a\nb", "article": "x"}),
        json!({"id": 7, "article": "a\0b"}),
        json!({"id": 7, "article": null}),
        json!({"id": 7, "prompt": [], "article": "x"}),
        json!({"id": 7, "article": long}),
    ];
    let mut text =
        b"\xef\xbb\xbf{\"id\": 1, \"article\": \"a\"}\r\n\r\nnonsense\n{\"id\": 2, \"article\": \"\xff\"}\n".to_vec();
    text.extend(lines(&broken).bytes());
    text.extend(b"[1]\n{\"id\": 9, \"article\": \"b\\r\\nc\"}");
    let files = Files::new(&[("r.jsonl", &text)]);
    let read = files.read("r.jsonl");
    assert_eq!(
        read.reports
            .iter()
            .map(|r| r.text.as_str())
            .collect::<Vec<_>>(),
        ["a", "b\nc"]
    );
    assert_eq!(
        files.problems(&read),
        [
            "r.jsonl:3: not a JSON object: expected ident (column 2)",
            "r.jsonl:4: not UTF-8 from byte 23",
            "r.jsonl:5: `article` is not a text: `5`",
            "r.jsonl:6: no `article`",
            "r.jsonl:7: no `id`",
            "r.jsonl:8: no `id`",
            "r.jsonl:9: `id` is not a text: `true`",
            "r.jsonl:10: `id` is not a name: `a b`",
            "r.jsonl:11: `article`: a NUL at byte 2",
            "r.jsonl:12: no `article`",
            "r.jsonl:13: `prompt` is not a text: `[]`",
            "r.jsonl:14: `article`: over 5 MB",
            "r.jsonl:15: not a JSON object: invalid type: sequence, expected a map (column 0)",
        ]
    );
}

#[test]
fn our_own_fields_are_checked() {
    let wrong = [
        json!({"task": "1", "text": "x", "attempt": 0}),
        json!({"task": "1", "text": "x", "attempt": 1.5}),
        json!({"task": "1", "text": "x", "state": "fine"}),
        json!({"task": "1", "text": "x", "state": "empty"}),
        json!({"task": "1", "text": "x", "tokens": -1}),
        json!({"task": "1", "text": "x", "tokens": {"input": "5"}}),
        json!({"task": "1", "text": "x", "cost_usd": "free"}),
        json!({"task": "1", "text": "x", "seconds": -1}),
        json!({"task": "1", "state": "ok"}),
    ];
    let (files, read) = jsonl(&lines(&wrong));
    assert_eq!((read.layout, read.reports.len()), (Layout::Taskgen, 0));
    assert_eq!(
        files.problems(&read),
        [
            "reports.jsonl:1: `attempt` is not a number from 1: `0`",
            "reports.jsonl:2: `attempt` is not a number from 1: `1.5`",
            "reports.jsonl:3: `state` is not one of ok, refused, empty, timeout, error: `fine`",
            "reports.jsonl:4: `state` is `empty`, and there is a text",
            "reports.jsonl:5: `tokens` is not a count: `-1`",
            "reports.jsonl:6: `tokens.input` is not a count: `\"5\"`",
            "reports.jsonl:7: `cost_usd` is not an amount: `\"free\"`",
            "reports.jsonl:8: `seconds` is not an amount: `-1`",
            "reports.jsonl:9: no `text`",
        ]
    );
}

#[test]
fn a_record_of_fifty_megabytes_is_not_even_parsed() {
    let mut text = br#"{"id": 1, "article": ""#.to_vec();
    text.resize(50_000_001, b'x');
    text.extend(b"\n{\"id\": 2, \"article\": \"b\"}\n");
    let files = Files::new(&[("r.jsonl", &text)]);
    let read = files.read("r.jsonl");
    assert_eq!(
        (who(&read), files.problems(&read)),
        (
            vec![(None, "2", 1)],
            vec!["r.jsonl:1: over 50 MB".to_owned()]
        )
    );
}

#[test]
fn a_broken_item_of_a_list_is_one_problem() {
    let text =
        b"[\n{\"id\": 1, \"response\": \"a\"},\n{\"id\": 2, \"response\": },\n{\"id\": 3, \"response\": \"\xff\"},\n\
                 {\"id\": 4}},\n{\"id\": 5, \"response\": \"e\"},\n]\nmore\n";
    let files = Files::new(&[
        ("l.json", text.as_slice()),
        ("cut.json", &text[..text.len() - 8]),
    ]);
    let read = files.read("l.json");
    assert_eq!(who(&read), [(None, "1", 1), (None, "5", 1)]);
    assert_eq!(
        files.problems(&read),
        [
            "l.json:3: not a JSON object: expected value (column 23)",
            "l.json:4: not UTF-8 from byte 24",
            "l.json:5: not a JSON object: trailing characters (column 10)",
            "l.json:8: not a JSON object: expected value (column 1)",
        ]
    );
    let cut = files.read("cut.json");
    assert_eq!(cut.reports.len(), 2);
    assert_eq!(
        files.problems(&cut)[3],
        "cut.json:6: where the list should end"
    );
}

#[test]
fn what_is_no_layout_is_one_error_that_lists_them() {
    let files = Files::new(&[
        ("empty", b""),
        ("other.jsonl", b"{\"id\": 1, \"report\": \"x\"}\n"),
        ("text.txt", b"# A report\n"),
        ("wide.jsonl", b"\xff\xfe{\0"),
        ("list.json", b"[]"),
        ("folder/notes.txt", b""),
        ("folder/README.md", b"x"),
        ("two/qid_1_report.md", b"x"),
        ("two/t_1/answer_1.md", b"x"),
    ]);
    let check = |name: &str, expect: &str| {
        let message = files
            .error(name)
            .replace(&format!("{}/", files.0.path().display()), "");
        let (message, hint) = message.split_once('\n').expect("two lines");
        assert_eq!(message, expect, "{name}");
        assert!(
            hint.starts_with("hint: ")
                && [&Layout::RECORDS[..], &Layout::FOLDERS]
                    .concat()
                    .iter()
                    .all(|layout| hint.contains(layout.shape()))
        );
    };
    check("empty", "no reports in `empty`: it is empty");
    check(
        "other.jsonl",
        "no reports in `other.jsonl`: line 1 has only `id`, `report`",
    );
    check(
        "text.txt",
        "no reports in `text.txt`: line 1 is not a JSON object: expected value (column 1)",
    );
    check("wide.jsonl", "`wide.jsonl` is UTF-16, not UTF-8");
    check("list.json", "no reports in `list.json`: it is empty");
    check("folder", "no reports in the folder `folder`");
    check(
        "two",
        "the folder `two` holds several layouts: [<agent>/]qid_<id>_report.md and [<agent>/]<task>/answer_<attempt>.md",
    );
    assert!(files.error("missing").contains("missing"));
}

#[test]
fn equal_reports_are_taken_once_and_different_ones_not_at_all() {
    let record = |id: u32, text: &str| json!({"id": id, "article": text});
    let (files, read) = jsonl(&lines(&[
        record(1, "a"),
        record(2, "b"),
        record(1, "a"),
        record(2, "c"),
        record(2, "b"),
        record(3, "d"),
    ]));
    assert_eq!(
        (who(&read), read.repeated),
        (vec![(None, "1", 1), (None, "3", 1)], 1)
    );
    let first = files.path("reports.jsonl").display().to_string();
    assert_eq!(
        files.problems(&read),
        [format!(
            "reports.jsonl:4: `2`, attempt 1, is another report than in {first}:2: neither is taken"
        )]
    );
}

#[test]
fn a_folder_holds_more_than_reports() {
    let long = vec![b'x'; crate::agents::report_text::MOST_BYTES + 1];
    let files = Files::new(&[
        ("good.md", "\u{feff}# Gut\r\n".as_bytes()),
        ("blank.md", b"\r\n"),
        ("latin.md", b"caf\xe9"),
        ("nul.md", b"a\0"),
        ("long.md", &long),
        (".hidden.md", b"x"),
        ("half.md.tmp", b"x"),
        ("draft.tmp.md", b"x"),
        ("good.md~", b"x"),
        (".DS_Store", b"x"),
        ("a/b/deep.md", b"x"),
    ]);
    let read = files.read("");
    assert_eq!(
        (who(&read), read.skipped_hidden),
        (vec![(None, "blank", 1), (None, "good", 1)], 4)
    );
    assert_eq!(
        (read.reports[0].state, read.reports[1].text.as_str()),
        (State::Empty, "# Gut\n")
    );
    assert_eq!(
        files.problems(&read),
        [
            "a/b/deep.md: it has no place in this layout: [<agent>/]<task>.md",
            "latin.md: not UTF-8 from byte 4",
            "long.md: over 5 MB",
            "nul.md: a NUL at byte 2",
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let files = Files::named(&["in/t_1.md", "out/t_2.md", "out/x/t_3.md"]);
    for (from, to) in [
        ("out/t_2.md", "in/t_2.md"),
        ("in/t_1.md", "in/t_4.md"),
        ("out/x", "in/x"),
        ("in", "in/loop"),
    ] {
        symlink(files.path(from), files.path(to)).expect("a link");
    }
    symlink("nowhere", files.path("in/t_5.md")).expect("a link");
    let made = std::process::Command::new("mkfifo")
        .arg(files.path("in/t_6.md"))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let read = files.read("in");
    assert_eq!(who(&read), [(None, "t_1", 1), (None, "t_4", 1)]);
    let link = "a link to a folder or out of this one is not followed";
    assert_eq!(
        files.problems(&read),
        [
            format!("in/loop: {link}"),
            format!("in/t_2.md: {link}"),
            "in/t_5.md: it is a link to nothing".to_owned(),
            "in/t_6.md: it is not a regular file".to_owned(),
            format!("in/x: {link}"),
        ]
    );
}
