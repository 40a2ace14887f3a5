//! Sixty texts of strangers who want their script to run, in a talk, a title, tasks, reports, names
//! of agents and a reviewer's note: on no page of the server does one run, load, restyle or become a
//! link that does. Looked at in the browser, not in the source.

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    serving::{Serving, action, hidden},
    support::{ModelServer, Project, TALK},
};

/// The texts. `OWN` stands for a script that leaves a trace.
fn attacks() -> Vec<String> {
    let own = "window.owned=1";
    let mut texts: Vec<String> = [
        "<script>OWN</script>",
        "</script><script>OWN</script>",
        "<SCRIPT SRC=data:text/javascript,OWN></SCRIPT>",
        "<script/x>OWN</script>",
        "<<script>OWN//<</script>",
        "<img src=x onerror=OWN>",
        "<img src=x onerror='OWN'//",
        "<image src=x onerror=OWN>",
        "\"><img src=x onerror=OWN>",
        "'><img src=x onerror=OWN>",
        "\" onmouseover=OWN x=\"",
        "' onfocus=OWN autofocus x='",
        "` onclick=OWN `",
        "<svg onload=OWN>",
        "<svg><script>OWN</script></svg>",
        "<svg><animate onbegin=OWN attributeName=x dur=1s>",
        "<svg><a xlink:href='javascript:OWN'><text y=20>x</text></a></svg>",
        "<svg><foreignObject><body onload=OWN></foreignObject></svg>",
        "<svg><use href='data:image/svg+xml,<svg id=x onload=OWN/>#x'></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=OWN>",
        "<math href='javascript:OWN'>x</math>",
        "<style>body{display:none}</style>",
        "</style><style>*{visibility:hidden}</style>",
        "<link rel=stylesheet href='data:text/css,body{display:none}'>",
        "<div style='position:fixed;inset:0;background:red'>x</div>",
        "<p style=\"background:url(javascript:OWN)\">",
        "<a href=javascript:OWN>x</a>",
        "[x](javascript:OWN)",
        "[x](JaVaScRiPt:OWN)",
        "[x](java\tscript:OWN)",
        "[x](&#106;avascript:OWN)",
        "[x](data:text/html,<script>OWN</script>)",
        "[x](vbscript:OWN)",
        "![x](javascript:OWN)",
        "![x\" onerror=OWN y=\"](x)",
        "[x]: javascript:OWN\n[x]",
        "<javascript:OWN>",
        "[a](https://a.example/\"onmouseover=OWN//)",
        "<iframe src=javascript:OWN></iframe>",
        "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
        "<object data='data:text/html,<script>OWN</script>'></object>",
        "<embed src='data:text/html,<script>OWN</script>'>",
        "<base href='https://evil.example/'>",
        "<meta http-equiv=refresh content='0;url=javascript:OWN'>",
        "<meta http-equiv=Content-Security-Policy content=\"script-src *\">",
        "<form action=javascript:OWN><button autofocus>x</button></form>",
        "<input onfocus=OWN autofocus>",
        "<details open ontoggle=OWN>x</details>",
        "<video><source onerror=OWN></video>",
        "<audio src=x onerror=OWN></audio>",
        "<body onload=OWN>",
        "<template><script>OWN</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=OWN>'>",
        "<textarea></textarea><script>OWN</script>",
        "</title><script>OWN</script>",
        "<!--><script>OWN</script>-->",
        "{{ 7*7 }}{% raw %}<script>OWN</script>",
        "&lt;script&gt;OWN&lt;/script&gt;",
        "+ADw-script+AD4-OWN+ADw-/script+AD4-",
        "\u{202e}tpircs\u{2066}<script>OWN</script>\u{2069}\u{200b}",
    ]
    .map(|text| text.replace("OWN", own))
    .to_vec();
    texts.truncate(60);
    texts
}

/// A project whose every text is a stranger's.
fn project(attacks: &[String]) -> (ModelServer, Project) {
    let model = ModelServer::openai().pipeline();
    let project = Project::new(&model.url);
    // The talk's sentences stay as they are, so that quotes are found; strangers speak between.
    let mut talk: Vec<String> = TALK.iter().map(|line| (*line).to_owned()).collect();
    talk.extend(attacks.iter().map(|text| text.replace(['\n', '\t'], " ")));
    let lines: Vec<&str> = talk.iter().map(String::as_str).collect();
    project.add_transcript("<img src=x onerror=window.owned=1>.wav", "en", &lines);
    let title = json!(attacks.concat()).to_string();
    let side = format!(
        "title = {title}\ndiscipline = \"<svg onload=window.owned=1>\"\nlicence = \"<script>window.owned=1</script>\"\n"
    );
    std::fs::write(
        project.path("seminars/<img src=x onerror=window.owned=1>.toml"),
        side,
    )
    .expect("writable");
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    let mut tasks = String::new();
    for (n, text) in attacks.iter().enumerate() {
        tasks += &format!(
            "{}\n",
            json!({ "id": n, "prompt": format!("Survey {text} and hand in a table."), "topic": text })
        );
    }
    let file = project.path("questions.jsonl");
    std::fs::write(&file, tasks).expect("writable");
    // Some lines name time slots that there are not, and are refused.
    let imported = project.output(&["tasks", "import", file.to_str().expect("UTF-8")]);
    assert!(
        matches!(imported.status.code(), Some(0 | 1)),
        "{imported:?}"
    );
    project.ok(&["rank", "--model-role", "judge=code/signals"]);
    let listed = project.json(&["tasks", "list"]);
    for agent in [
        "<img src=x onerror=window.owned=1>",
        "owl\"'><svg onload=window.owned=1>",
    ] {
        let mut lines = String::new();
        for task in listed.as_array().expect("tasks") {
            let text = format!(
                "# {}\n\n{}\n\nBy {agent}.",
                attacks[0],
                attacks.join("\n\n")
            );
            lines += &format!("{}\n", json!({ "id": task["id"], "article": text }));
        }
        let file = project.path("reports.jsonl");
        std::fs::write(&file, lines).expect("writable");
        let file = file.to_str().expect("UTF-8").to_owned();
        project.ok(&["reports", "import", &file, "--agent", agent]);
    }
    (model, project)
}

/// What a page must not be, each as an expression that is true of a harmless one.
const HARMLESS: [(&str, &str); 5] = [
    ("a script ran", "window.owned === undefined"),
    (
        "a link leads to a script",
        "[...document.querySelectorAll('[href],[src],[action],[data],[formaction]')].every((of) => ['href','src','action','data','formaction'].every((name) => !of.hasAttribute(name) || /^(https?:\\/\\/|\\/|#|\\?|[A-Za-z0-9_.~-]+([\\/#?]|$))/.test(of.getAttribute(name))))",
    ),
    (
        "a handler was set",
        "[...document.querySelectorAll('*')].every((of) => [...of.attributes].every((a) => !a.name.startsWith('on') && (a.name !== 'style' || of.closest('svg'))))",
    ),
    (
        "a foreign element stands there",
        "document.querySelectorAll('main iframe, main object, main embed, main base, main meta, main link, main style, main math, main foreignObject, main video, main img, main script:not([src])').length === 0",
    ),
    (
        "the page was restyled",
        "getComputedStyle(document.body).display !== 'none' && getComputedStyle(document.body).visibility === 'visible' && ![...document.querySelectorAll('main *')].some((of) => getComputedStyle(of).position === 'fixed')",
    ),
];

#[test]
fn server_pages_run_nothing_that_strangers_wrote() {
    let attacks = attacks();
    assert_eq!(attacks.len(), 60);
    let (_model, project) = project(&attacks);
    let serving = Serving::start(
        &project,
        &["--reviewer", "<img src=x onerror=window.owned=1>"],
    );
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    // A reviewer's note is a stranger's, too.
    runtime.block_on(async {
        let reviewer = serving.reviewer(0).await;
        let page = reviewer.page("/review/tasks").await;
        let guard = hidden(&page, "guard");
        let to = action(&page, "/review/tasks/t_");
        let fields = [
            ("guard", guard.as_str()),
            ("verdict", "accepted"),
            ("note", &attacks[5]),
        ];
        let (status, said) = reviewer.post(&to, &fields).await;
        assert_eq!(status.as_u16(), 303, "{said}");
    });
    let ids = |sql: &str, before: &str| -> Vec<String> {
        let database = project.database();
        let mut found = database.prepare(sql).expect("SQL");
        let rows = found
            .query_map([], |row| row.get::<_, String>(0))
            .expect("rows");
        rows.map(|id| format!("{before}{}", id.expect("an id")))
            .collect()
    };
    let mut pages: Vec<String> = [
        "/",
        "/seminars",
        "/inspirations",
        "/tasks",
        "/tasks?page=2",
        "/ranking",
        "/reports",
        "/reports?page=2",
        "/leaderboard",
        "/matches",
        "/people",
        "/calls",
        "/tasks?q=%22%3E%3Csvg+onload%3Dwindow.owned%3D1%3E&phase=%3Cscript%3E",
    ]
    .map(str::to_owned)
    .to_vec();
    pages.extend(ids(
        "SELECT DISTINCT seminar FROM seminar_path",
        "/seminars/",
    ));
    pages.extend(ids("SELECT id FROM task WHERE superseded = 0", "/tasks/"));
    pages.extend(ids("SELECT id FROM document LIMIT 4", "/reports/"));
    pages.extend(ids(
        "SELECT DISTINCT task FROM document LIMIT 4",
        "/compare?task=",
    ));
    pages.extend(ids(
        "SELECT DISTINCT task FROM document LIMIT 4",
        "/leaderboard/tasks/",
    ));
    pages.extend(ids("SELECT id FROM call LIMIT 4", "/calls/"));
    let reviews = [
        "/review",
        "/review/inspirations",
        "/review/tasks",
        "/review/reports",
        "/review/duels/tasks",
        "/review/duels/reports",
    ];
    let mut browser = Browser::start();
    let mut looked = 0;
    let mut look = |browser: &mut Browser, page: &str| {
        browser.visit(&format!("http://{}{page}", serving.host()));
        for (what, harmless) in HARMLESS {
            assert_eq!(browser.ask(harmless), Value::Bool(true), "{page}: {what}");
        }
        looked += 1;
    };
    for page in &pages {
        look(&mut browser, page);
    }
    browser.visit(&serving.links[0]);
    browser.until("location.pathname === '/review'");
    for page in reviews {
        for _ in 0..5 {
            look(&mut browser, page);
            // On to the next thing, if there is one.
            browser.ask("document.querySelector('[data-key=s]')?.click(); 0");
        }
    }
    println!("60 texts, {looked} pages: nothing ran");
    let mut complaints = browser.complaints().to_vec();
    complaints.retain(|said| !said.contains("404"));
    assert_eq!(complaints, [""; 0], "the policy had nothing to refuse");
    let requests = browser.close();
    assert!(requests.outside().is_empty(), "{:?}", requests.outside());
}
