//! A project with two trees and agents that are small programs; the long proofs use it, too.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use crate::support::Project;

/// The address of a server that nobody asks.
pub const NOBODY: &str = "http://127.0.0.1:9/v1";

pub const DOCUMENTS: [(&str, &str); 2] = [("tides", TIDES), ("mills", MILLS)];

pub const TIDES: &str = "# Tides\n\nWater rises and falls twice a day along most coasts of the world, and people have kept records of it for 2700 years.\n\n\
    ## Gauges\n\nA gauge that floats in a well was built in Brest and has been read without a gap since 1807 by its keepers. Its drum turns once in 24 hours, and a pen of silver draws a line of blue ink on it.\n\n\
    ### Floats\n\nThe float of copper weighs 13 kilograms and hangs from a wire that was spun in a mill near the harbour. It was replaced in 1951, when the old one had been dented by ice for the third winter in a row.\n\n\
    ### Wells\n\nThe well beside the quay is 9 metres deep and joins the sea through a pipe of bronze below the lowest water. Sand is cleared out of it every 6 weeks by a diver who is lowered on a rope by his brother.\n\n\
    ## Moons\n\nThe pull of the moon is twice that of the sun, and both together raise the highest water some 36 hours later. Two heavenly bodies in one line were blamed for the great flood of 1824 by the clerks of the city.\n\n\
    ### Springs\n\nAt new moon the range in the bay grows to 12 metres, which the fishermen there call the water of the living. Boats that draw 4 metres can then pass the bar which closes the inner harbour to them otherwise.\n\n\
    ### Neaps\n\nA week later the range falls to 5 metres, and the flats along the northern shore stay covered for days on end. Oysters are gathered by hand from 17 beds that lie dry for less than an hour then.\n";

pub const MILLS: &str = "# Mills\n\nMills turn the force of wind and water into flour, paper and planks, and were the engines of towns for 18 centuries.\n\n\
    ## Wind\n\nThe oldest that still turns stands on a dyke in the north and has ground barley for its village since 1632 without rest. Its stones come from the Eifel and are dressed anew after 900 hours of grinding.\n\n\
    ### Sails\n\nEach of its sails is 14 metres long and carries a cloth of flax that the miller reefs when the weather turns. In a gale they must be stopped within 20 turns, or the brake of poplar begins to burn.\n\n\
    ### Caps\n\nThe cap weighs 8 tonnes and is turned into the wind by a wheel at the tail, which one man can work alone. Its oak shingles were laid in 1788 and have been tarred every second summer ever since.\n\n\
    ## Water\n\nA wheel below a weir in the hills drove 3 hammers of an iron works until the railway came and took its customers. The smith who worked there kept a book of 212 orders that the county archive shows to visitors.\n\n\
    ### Weirs\n\nThe weir is 42 metres long and was built of larch piles, of which divers found the first row whole last summer. Salmon pass it by a ladder of 11 basins that was built for them much later.\n\n\
    ### Races\n\nWater runs to the wheel in a race of stone that falls 2 centimetres in each metre, as the old contract demands. A gate of iron shuts it within 40 seconds when a child falls in, which happened once.\n";

/// A project with two trees, and these agents by name and arguments of the program of the demo.
pub fn project(agents: &[(&str, &str)]) -> Project {
    project_on(DOCUMENTS.len(), agents)
}

/// … with so many trees: those beyond two are about other numbers.
pub fn project_on(trees: usize, agents: &[(&str, &str)]) -> Project {
    let project = Project::new(NOBODY);
    let documents = project.path("documents");
    std::fs::create_dir_all(&documents).expect("writable");
    for at in 0..trees {
        let (name, text) = DOCUMENTS[at % DOCUMENTS.len()];
        let series = at / DOCUMENTS.len();
        let name = if series == 0 {
            name.to_owned()
        } else {
            format!("{name}-{series}")
        };
        std::fs::write(
            documents.join(format!("{name}.md")),
            of_series(text, series),
        )
        .expect("writable");
    }
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/arena/agent.sh");
    let mut config = String::new();
    for (name, arguments) in agents {
        let command = if arguments.starts_with("sh ") {
            (*arguments).to_owned()
        } else {
            format!(
                "sh {} {} {arguments}",
                program.display(),
                documents.display()
            )
        };
        config.push_str(&format!("[agents.{name}]\ncommand = {}\n", json!(command)));
    }
    let project = project.config(&config);
    project.ok(&["arena", "trees", "import", "documents"]);
    project
}

/// The text with other numbers.
fn of_series(text: &str, series: usize) -> String {
    if series == 0 {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut number = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            let value: usize = number.parse().expect("a number");
            out.push_str(&(value + 17 * series).to_string());
            number.clear();
        }
        out.push(c);
    }
    out
}

/// Plays, whether all matches have a result or not.
pub fn played(project: &Project, args: &[&str]) -> Value {
    let output = project.output(&[args, &["--json"]].concat());
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What every match says in the end, and the board.
pub fn outcome(project: &Project) -> (BTreeMap<String, Value>, Value) {
    let matches = project.json(&["arena", "list"]);
    let matches = matches.as_array().expect("a list").iter();
    let matches = matches.map(|of| (of["id"].as_str().expect("an id").to_owned(), of.clone()));
    (matches.collect(), project.json(&["arena", "leaderboard"]))
}

/// Agents that note each question that they are asked, so that one that is asked twice shows.
pub fn noting(project: &Project, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(project.path(&format!("{name}.log"))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Names agents that note each question; the first one answers one part of a question, the second
/// two, and so on.
pub fn note_questions(project: &Project, names: &[&str]) {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/arena/agent.sh");
    let mut config = String::new();
    for (name, most) in names.iter().zip(1..) {
        let script = format!(
            "#!/bin/sh\nquestion=$(cat)\nprintf '%s\\n' \"${{PWD#*/tasks/agents/}}\" >>{log}\nprintf '%s' \"$question\" | sh {program} {documents} {most}\n",
            log = project.path(&format!("{name}.log")).display(),
            program = program.display(),
            documents = project.path("documents").display(),
        );
        let path = project.path(&format!("{name}.sh"));
        std::fs::write(&path, script).expect("writable");
        config.push_str(&format!(
            "[agents.{name}]\ncommand = {}\n",
            json!(format!("sh {}", path.display()))
        ));
    }
    let all = project.configuration() + &config;
    project.configure(&all);
}
