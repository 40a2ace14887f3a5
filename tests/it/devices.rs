//! Devices from the command line: what is not there is refused before any work, `doctor` lists what
//! is there, and the user's own settings hold where the project leaves it to the machine.

use serde_json::Value;
use taskgen::transcribe::devices;

use crate::support::project::Project;

const NOBODY: &str = "http://127.0.0.1:9/v1";

fn origin(project: &Project, key: &str) -> (Value, String) {
    let shown = project.json(&["config", "show"]);
    let values = shown.as_array().expect("a list").iter();
    let found = values.clone().find(|value| value["key"] == key);
    let found = found.expect("the key is shown");
    let origin = found["origin"].as_str().expect("a word").to_owned();
    (found["value"].clone(), origin)
}

#[test]
fn a_device_that_is_not_there_is_refused_with_those_that_are() {
    let project = Project::new(NOBODY);
    std::fs::write(project.path("seminars/a.wav"), b"no sound").expect("writable");
    for list in ["cuda:7", "cpu,cuda:7", "cpu,cpu", ""] {
        let said = project.fails(&["transcribe", "--device", list], 2);
        assert!(said.contains("device"), "{list}: {said}");
    }
    let said = project.fails(&["transcribe", "--device", "cuda:7"], 2);
    assert!(
        said.contains("no such device: `cuda:7`") && said.contains("cpu"),
        "{said}"
    );
    if !devices::ON_CARDS {
        let said = project.fails(&["transcribe", "--device", "cards"], 2);
        assert!(said.contains("build with the feature"), "{said}");
    }
    let said = project.fails(&["doctor", "--bench", "--device", "cuda:7"], 2);
    assert!(said.contains("no such device"), "{said}");
    let said = project.fails(&["doctor", "--model", "base"], 2);
    assert!(said.contains("--bench"), "{said}");
}

#[test]
fn doctor_lists_the_devices_and_what_suits_them() {
    let project = Project::new(NOBODY);
    let doctor = |args: &[&str]| -> Vec<Value> {
        let args = [&["doctor", "--json", "--models-dir", "nowhere"], args].concat();
        let output = project.output(&args);
        assert_eq!(output.status.code(), Some(3), "the models are missing");
        serde_json::from_slice(&output.stdout).expect("a list of findings")
    };
    let found = |findings: &[Value], what: &str| -> (bool, String) {
        let finding = findings.iter().find(|finding| finding["what"] == what);
        let finding = finding.unwrap_or_else(|| panic!("no `{what}` in {findings:?}"));
        let text = finding["found"].as_str().expect("a text").to_owned();
        (finding["fine"].as_bool().expect("yes or no"), text)
    };
    let findings = doctor(&["--device", "cpu"]);
    let (fine, cpu) = found(&findings, "device cpu");
    assert!(fine && cpu.contains("cores"), "{cpu}");
    let (fine, workers) = found(&findings, "transcription");
    assert!(fine && workers.contains("workers on cpu"), "{workers}");
    for (what, model) in [
        ("speech model that suits", ["tiny.en", "large-v3-turbo"]),
        ("language model that suits", ["qwen2.5-coder", "qwen3"]),
    ] {
        let (fine, suits) = found(&findings, what);
        assert!(
            fine && model.iter().any(|name| suits.starts_with(name)),
            "{suits}"
        );
    }
    let findings = doctor(&["--device", "cards"]);
    let (fine, said) = found(&findings, "transcription");
    assert_eq!(
        fine,
        !said.contains("no such device") && !said.contains("no graphics card")
    );
    let findings = doctor(&["--device", "cuda:7"]);
    let (fine, said) = found(&findings, "transcription");
    assert!(!fine && said.contains("cuda:7"), "{said}");
}

#[test]
fn the_users_settings_hold_where_the_project_leaves_it_to_the_machine() {
    let project = Project::new(NOBODY);
    let settings = project.path("no-settings/taskgen/config.toml");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("writable");
    std::fs::write(&settings, "[transcribe]\njobs = 3\ndevice = \"cpu\"\n").expect("writable");
    let file = settings.display().to_string();
    assert_eq!(
        origin(&project, "transcribe.jobs"),
        (3.into(), file.clone())
    );
    assert_eq!(
        origin(&project, "transcribe.device"),
        ("cpu".into(), file.clone())
    );
    let before = project.configuration();
    project.configure(&format!(
        "{before}[transcribe]\njobs = 2\ndevice = \"auto\"\n"
    ));
    let (jobs, from) = origin(&project, "transcribe.jobs");
    assert!(jobs == 2 && from.ends_with("taskgen.toml"), "{from}");
    assert_eq!(origin(&project, "transcribe.device").1, file);
    std::fs::write(&settings, "[transcribe]\nmodel = \"base\"\n").expect("writable");
    let said = project.fails(&["config", "show"], 2);
    assert!(said.contains("line 2") && said.contains("model"), "{said}");
}
