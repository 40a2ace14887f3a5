//! Runs that end while a reply is being made: killed, at several moments, or interrupted. The next
//! run has the report, and the question was put once.

use std::{
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    KEY, Look, Project, REPORT, ResponsesServer, answer, lab, open_replies, researched, shown,
};

fn start(project: &Project) -> Child {
    project
        .command(&["answer", "--agent", "lab"])
        .env("LAB_KEY", KEY)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the server was looked at so often.
fn until_looked(server: &ResponsesServer, looks: usize) {
    let began = Instant::now();
    while server.looks().len() < looks {
        assert!(began.elapsed() < Duration::from_mins(1), "no look came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_is_killed_while_it_looks_goes_on_with_the_same_reply() {
    // Within the first look, between two, and while the report itself is on its way.
    let moments: [(&str, Vec<Look>, usize); 4] = [
        ("first look", vec![Look::Hang], 1),
        ("after a look", vec![Look::InProgress], 1),
        ("later", vec![Look::InProgress], 3),
        ("at the end", vec![Look::InProgress, Look::Hang], 2),
    ];
    for (moment, looks, after) in moments {
        let server = ResponsesServer::new(looks);
        let project = lab(&server, "");
        let mut child = start(&project);
        until_looked(&server, after);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(open_replies(&project), 1, "{moment}");
        // Killed once more, on its way back.
        server.script(vec![Look::InProgress]);
        let mut child = start(&project);
        until_looked(&server, 1);
        child.kill().unwrap();
        child.wait().unwrap();
        server.script(vec![Look::InProgress, researched(REPORT)]);
        let (code, said) = answer(&project, &[]);
        assert_eq!(code, Some(0), "{moment}: {said}");
        assert_eq!(server.posts().len(), 1, "{moment}");
        assert_eq!(server.looks(), ["/v1/responses/resp_1"; 2], "{moment}");
        let shown = shown(&project);
        assert!(
            shown["state"] == "ok" && shown["spent"]["cost_usd"] == json!(0.0405),
            "{moment}: {shown}"
        );
        assert_eq!(open_replies(&project), 0, "{moment}");
    }
}

#[test]
fn an_interrupted_run_leaves_the_reply_to_be_made() {
    let server = ResponsesServer::new(vec![Look::InProgress]);
    let project = lab(&server, "");
    let mut child = start(&project);
    until_looked(&server, 2);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(open_replies(&project), 1);
    // Its cost is unknown, and said to be.
    for command in ["status", "calls"] {
        assert_eq!(project.json(&[command])["pending_replies"], 1);
        let said = project.ok(&[command]);
        assert!(
            said.contains("1 reply is still being made at the provider: the cost is not known yet"),
            "{said}"
        );
    }
    server.script(vec![researched(REPORT)]);
    let (code, said) = answer(&project, &[]);
    assert_eq!((code, server.posts().len()), (Some(0), 1), "{said}");
    assert_eq!(project.json(&["calls"])["pending_replies"], 0);
    assert!(!project.ok(&["calls"]).contains("being made"));
}
