//! What cannot work is said before any work, with what to do.

use super::project;

#[test]
fn what_cannot_work_is_said_before_any_work() {
    let (fake, project) = project();
    insta::assert_snapshot!(project.told(&["status", "--dry-run"]), @"
    $ taskgen status --dry-run
    exit 2
    --- err
    error: --dry-run is for commands that ask a model
    hint: run, inspire, weave, probe, rank, answer, evaluate, rescore, audit leakage, arena match, arena trees build --topics
    ");
    insta::assert_snapshot!(project.told(&["inspire", "--budget-usd", "1"]), @"
    $ taskgen inspire --budget-usd 1
    exit 2
    --- err
    seed 1 (change it with --seed)
    error: the price of `fake/m` is unknown, and the budget is in money
    hint: add it to `prices.toml` in the project, or use --budget-tokens
    log: `[project]/tasks/logs/[log]`
    ");
    let good = project.configuration();
    project.reconfigure("http://", "http://planted-user:planted-pass@");
    project.reconfigure("/v1\"", "/v1?key=planted-query\"");
    assert!(!project.ok(&["config", "show"]).contains("planted"));
    project.reconfigure("http://planted-user", "planted-user");
    insta::assert_snapshot!(project.told(&["inspire"]), @"
    $ taskgen inspire
    exit 2
    --- err
    error: `[project]/taskgen.toml`: providers.fake.base_url must begin with http:// or https://: `planted-user:planted-pass@[address]/v1`
    hint: `taskgen init` in an empty folder writes a file with every key and its comment
    ");
    assert_eq!(fake.take(), 0);
    project.configure(&good);
}

#[test]
fn a_copy_of_a_prompt_may_leave_out_quote_and_must_know_what_it_names() {
    let (_, project) = project();
    project.ok(&["prompts", "eject", "rank/judge"]);
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 0
    --- out
    [project]/prompts/rank/judge.md: fits
    ");
    let file = project.path("prompts/rank/judge.md");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replace("quote(a.text)", "a.text")).expect("writable");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 0
    --- out
    [project]/prompts/rank/judge.md: fits
    ");
    std::fs::write(&file, text.replace("b.text", "b.txt")).expect("writable");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 1
    --- out
    [project]/prompts/rank/judge.md: nothing is known of: `b.txt`
    ");
    std::fs::write(&file, text.replace("quote(a.text)", "a.text|upper|safe")).expect("writable");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 1
    --- out
    [project]/prompts/rank/judge.md: there is no filter `safe` for prompts
    ");
    let includes = text.replace("quote(a.text)", "a.text }}{% include 'rank/of-old' %}{{ ''");
    std::fs::write(&file, includes).expect("writable");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 1
    --- out
    [project]/prompts/rank/judge.md: it includes a prompt that is not there: `rank/of-old`
    ");
}

#[test]
fn prompts_are_listed_copied_and_checked() {
    let (_, project) = project();
    let names = project.json(&["prompts", "list"]);
    assert!(
        names
            .as_array()
            .is_some_and(|names| names.iter().any(|n| n["name"] == "rank/judge"))
    );
    project.ok(&["prompts", "eject", "rank/judge"]);
    insta::assert_snapshot!(project.told(&["prompts", "eject", "rank/judge"]), @"
    $ taskgen prompts eject rank/judge
    exit 2
    --- err
    error: there is a copy already: `[project]/prompts/rank/judge.md`
    hint: edit it, or move it away
    ");
    insta::assert_snapshot!(project.told(&["prompts", "eject", "rank/jugde"]), @"
    $ taskgen prompts eject rank/jugde
    exit 2
    --- err
    error: no such prompt: `rank/jugde`
    hint: `taskgen prompts list` has the names
    ");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 0
    --- out
    [project]/prompts/rank/judge.md: fits
    ");
    let copy = project.path("prompts/rank/judge.md");
    let text = std::fs::read_to_string(&copy).expect("a copy");
    std::fs::write(
        &copy,
        text.replace("{% block user -%}", "{% block user -%}{{ secret_word }}"),
    )
    .expect("writable");
    insta::assert_snapshot!(project.told(&["prompts", "check"]), @"
    $ taskgen prompts check
    exit 1
    --- out
    [project]/prompts/rank/judge.md: nothing is known of: `secret_word`
    ");
}

#[test]
fn models_are_listed_and_named_mistakes_explained() {
    let (_, project) = project();
    let empty = project.path("models");
    let folder = empty.to_str().expect("a path");
    let listed = project.json(&["models", "list", "--models-dir", folder]);
    assert!(listed.as_array().is_some_and(|models| {
        models
            .iter()
            .any(|m| m["name"] == "tiny.en" && m["path"].is_null())
    }));
    insta::assert_snapshot!(project.told(&["models", "path", "tiny.en", "--models-dir", folder]), @"
    $ taskgen models path tiny.en --models-dir [project]/models
    exit 3
    --- err
    error: not on this machine: `tiny.en`
    hint: `taskgen models pull tiny.en`
    ");
    insta::assert_snapshot!(project.told(&["models", "path", "tinny.en"]), @"
    $ taskgen models path tinny.en
    exit 2
    --- err
    error: no such model: `tinny.en`
    hint: did you mean `tiny.en`?
    ");
    insta::assert_snapshot!(project.told(&["inspire", "--model-role", "juge=a/b"]), @"
    $ taskgen inspire --model-role juge=a/b
    exit 2
    --- err
    error: no such role: `juge`
    hint: the roles are inspire, review, weave, translate, probe, judge, relate, keypoints, checklist, rate, complete, examine, duel, extract
    ");
    insta::assert_snapshot!(project.told(&["inspire", "--model-role", "inspire=nowhere/x"]), @"
    $ taskgen inspire --model-role inspire=nowhere/x
    exit 2
    --- err
    seed 1 (change it with --seed)
    error: no such provider: `nowhere`
    hint: local, openai, openai-responses, anthropic, gemini, xai, perplexity, openrouter, vllm, ollama, or a `[providers.nowhere]` with a `base_url` in `taskgen.toml`
    log: `[project]/tasks/logs/[log]`
    ");
}

/// What was renamed is refused under its old name, with the new one.
#[test]
fn old_names_are_refused_with_the_new_ones() {
    let (_, project) = project();
    let said = project.fails(&["tasks", "diversity", "--near", "0.5"], 2);
    assert!(
        said.contains("there is no --near any more; use --similarity"),
        "{said}"
    );
    let said = project.fails(&["tasks", "select", "--near", "0.5"], 2);
    assert!(
        said.contains("there is no --near any more; use --similarity"),
        "{said}"
    );
    let said = project.fails(&["--model-role", "continue=fake/m", "status"], 2);
    assert!(said.contains("it is called `complete` now"), "{said}");
    for (old, new) in [
        ("[near]\nmodel = \"none\"\n", "similarity"),
        ("[evaluate]\nnear = 0.5\n", "similarity"),
    ] {
        let config = project.configuration();
        project.configure(&format!("{config}{old}"));
        let said = project.fails(&["status"], 2);
        assert!(said.contains(&format!("did you mean `{new}`?")), "{said}");
        project.configure(&config);
    }
}

/// A file that is named is read, though no key is needed; a set that was imported keeps its name.
#[test]
fn what_is_named_is_looked_at() {
    let (_, project) = project();
    let said = project.fails(&["status", "--env-file", "nowhere.env"], 2);
    assert!(said.contains("hint: --env-file FILE"), "{said}");
    std::fs::write(project.path("keys.env"), "no variable\n").expect("writable");
    let said = project.fails(&["status", "--env-file", "keys.env"], 2);
    assert!(said.contains("line 1: not NAME=VALUE"), "{said}");
    std::fs::write(project.path("q.txt"), "How do gravel rivers move?").expect("writable");
    project.ok(&["tasks", "import", "q.txt"]);
    let said = project.fails(&["tasks", "select", "--name", "q"], 2);
    assert!(said.contains("`q` is an imported set"), "{said}");
    let said = project.fails(&["init", "q.txt"], 2);
    assert!(said.contains("not a folder: `q.txt`"), "{said}");
    let said = project.fails(&["calls", "--role", "cook"], 2);
    assert!(said.contains("no such role: `cook`"), "{said}");
}

#[test]
fn where_there_is_nothing_to_list_a_sentence_says_so() {
    let (_, project) = project();
    project.ok(&["inspire"]);
    insta::assert_snapshot!(project.told(&["tasks", "diversity"]), @"
    $ taskgen tasks diversity
    exit 0
    --- out
    no tasks yet
    hint: `taskgen run`, or `taskgen tasks import FILE`; `taskgen status` says what is there
    ");
    let failed = project.told(&["calls", "--failed"]);
    assert!(failed.contains("no call is like that\n"), "{failed}");
    assert!(failed.contains("inspire"), "the sums stay: {failed}");
}

#[test]
fn a_file_without_scores_is_refused_with_what_is_needed() {
    let (_, project) = project();
    let questions = project.path("questions.jsonl");
    let question = r#"{"id":"q1","question":"How do gauges drift in cold rivers?"}"#;
    std::fs::write(&questions, question).expect("writable");
    project.ok(&["tasks", "import", questions.to_str().expect("UTF-8")]);
    insta::assert_snapshot!(project.told(&["calls"]), @"
    $ taskgen calls
    exit 0
    --- out
    no model was asked yet
    ");
    let report = r#"{"task":"q1","text":"They drift."}"#;
    let reports = project.path("reports.jsonl");
    std::fs::write(&reports, report).expect("writable");
    let reports = reports.to_str().expect("UTF-8");
    project.ok(&["reports", "import", reports, "--agent", "a"]);
    let scores = project.path("scores.csv");
    for (content, why) in [
        ("", "no table of scores: it is empty"),
        ("a,b\n", "no table of scores: the columns are `a`, `b`"),
    ] {
        std::fs::write(&scores, content).expect("writable");
        let told = project.told(&["audit", "agreement", "scores.csv"]);
        assert!(told.contains(why) && told.contains("hint: "), "{told}");
    }
    let missing = project.told(&["audit", "agreement", "none.csv"]);
    assert!(missing.contains("hint: needed is what a page"), "{missing}");
}
