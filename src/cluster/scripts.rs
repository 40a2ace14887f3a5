//! The scripts of a cluster's jobs. Only the first lines of each hold what a user typed, every word
//! quoted; the rest is the same for all projects.

use std::fmt::Write as _;

use super::{
    shell::{Unusable, array, plain, quoted},
    state::StepName,
};

/// Seconds before the end of its time at which a job is told to stop.
const NOTICE: u32 = 120;
/// Seconds in which a model server must answer: large weights come over a network.
const SERVER_PATIENCE: u32 = 1800;

const RUN: &str = include_str!("scripts/run.sh");
const MODELS: &str = include_str!("scripts/models.sh");
const SHARDS: &str = include_str!("scripts/shards.sh");
const COLLECT: &str = include_str!("scripts/collect.sh");
const SERVER: &str = include_str!("scripts/server.sh");
const STEPS: &str = include_str!("scripts/steps.sh");

/// What each job gets.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The partition, else the cluster's default.
    pub partition: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// Graphics cards.
    pub gpus: u32,
    /// CPUs.
    pub cpus: u32,
    /// Memory, such as `8G`.
    pub memory: Option<String>,
    /// Longest time, such as `4:00:00`.
    pub time: Option<String>,
}

/// A program that serves a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl ServerKind {
    /// The command that serves `model` under `name`, without its address.
    pub fn command(self, model: &str, name: &str, gpus: u32) -> Vec<String> {
        let cards = gpus.to_string();
        let words = match self {
            Self::LlamaCpp => vec!["llama-server", "--model", model, "--alias", name],
            Self::Vllm => vec!["vllm", "serve", model, "--served-model-name", name],
        };
        let on_cards = match (self, gpus) {
            (_, 0) | (Self::Vllm, 1) => vec![],
            (Self::LlamaCpp, _) => vec!["--n-gpu-layers", "999"],
            (Self::Vllm, _) => vec!["--tensor-parallel-size", &cards],
        };
        let words = words.into_iter().chain(on_cards);
        words.map(str::to_owned).collect()
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// This program.
    pub program: String,
    /// The project's folder.
    pub folder: String,
    /// Recordings, or folders of them; all of the project where empty.
    pub recordings: Vec<String>,
    /// Flags of every command.
    pub options: Vec<String>,
    /// Flags that say where models are kept.
    pub places: Vec<String>,
    /// Flags of `transcribe`.
    pub sound: Vec<String>,
    /// Models that are fetched before.
    pub models: Vec<String>,
    /// The number of shards.
    pub shards: u32,
    /// How often a crashed job is tried again.
    pub retries: u32,
    /// What each job gets.
    pub resources: Resources,
    /// Commands after the transcription.
    pub steps: Vec<String>,
    /// Their flags that name models.
    pub asking: Vec<String>,
    /// The command of a model server for them.
    pub server: Vec<String>,
}

/// A script under the name of its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its step.
    pub step: StepName,
    /// Its text.
    pub text: String,
}

/// The scripts, in the order in which they are submitted.
pub fn scripts(plan: &Plan) -> Result<Vec<Script>, Unusable> {
    StepName::ALL
        .into_iter()
        .map(|step| {
            let text = head(plan, step)? + &words(plan, step)? + &body(plan, step);
            Ok(Script { step, text })
        })
        .collect()
}

/// What a script says of itself, and its options for Slurm. No text of a user's is in a comment: it
/// could begin a new line.
fn head(plan: &Plan, step: StepName) -> Result<String, Unusable> {
    let what = match step {
        StepName::Models => "Fetches the models and checks their hashes, once for all jobs.",
        StepName::Shards => "Transcribes the recordings: one job of the array for each shard.",
        StepName::Collect => {
            "Lists what could not be transcribed, and does the steps that need all transcripts."
        }
    };
    let log = match step {
        StepName::Shards => "shards-%a",
        step => step.word(),
    };
    let mut head = format!(
        "#!/bin/bash\n# {what}\n# Written by `taskgen cluster slurm`, which overwrites it.\n"
    );
    let mut option = |text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(head, "#SBATCH --{text}");
    };
    option(format!("job-name={}", step.job()));
    option(format!("output=tasks/cluster/log/{log}.out"));
    option("open-mode=append".into());
    option("requeue".into());
    option(format!("signal=B:TERM@{NOTICE}"));
    option("nodes=1".into());
    option("ntasks=1".into());
    let of = &plan.resources;
    if step == StepName::Shards {
        option(format!("array=1-{}", plan.shards));
    }
    if let Some(partition) = &of.partition {
        option(format!(
            "partition={}",
            plain("--partition", partition, "_.,-")?
        ));
    }
    if let Some(account) = &of.account {
        option(format!("account={}", plain("--account", account, "_.@+-")?));
    }
    if let Some(time) = &of.time {
        option(format!("time={}", plain("--time", time, "-:")?));
    }
    // Fetching takes neither many CPUs nor a card.
    if step != StepName::Models {
        option(format!("cpus-per-task={}", of.cpus));
        if let Some(memory) = &of.memory {
            option(format!("mem={}", plain("--memory", memory, ".")?));
        }
        if of.gpus > 0 {
            option(format!("gres=gpu:{}", of.gpus));
        }
    }
    Ok(head)
}

/// The variables of a script: all that a user typed.
fn words(plan: &Plan, step: StepName) -> Result<String, Unusable> {
    // The first line is no comment, so that Slurm reads no options below it.
    let mut words = format!("\nretries={}\nshards={}\n", plan.retries, plan.shards);
    let mut set = |name: &str, value: String| {
        let _ = writeln!(words, "{name}={value}");
    };
    set("folder", quoted(&plan.folder)?);
    set("program", quoted(&plan.program)?);
    if step == StepName::Models {
        set("places", array(&plan.places)?);
        set("models", array(&plan.models)?);
        return Ok(words);
    }
    set("options", array(&plan.options)?);
    set("sound", array(&plan.sound)?);
    set("recordings", array(&plan.recordings)?);
    if step == StepName::Collect {
        set("steps", array(&plan.steps)?);
        set("asking", array(&plan.asking)?);
        set("server", array(&plan.server)?);
        set("patience", SERVER_PATIENCE.to_string());
    }
    Ok(words)
}

fn body(plan: &Plan, step: StepName) -> String {
    let mut body = RUN.to_owned();
    match step {
        StepName::Models => body.push_str(MODELS),
        StepName::Shards => body.push_str(SHARDS),
        StepName::Collect => {
            body.push_str(COLLECT);
            if !plan.server.is_empty() {
                body.push_str(SERVER);
            }
            body.push_str(STEPS);
            body.push_str("finish\n");
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            program: "/opt/task gen/taskgen".into(),
            folder: "/data/it's\n#SBATCH --uid=0".into(),
            recordings: vec!["/data/it's\n#SBATCH --uid=0/seminars/$(id).wav".into()],
            options: vec!["--project".into(), "/data/it's\n#SBATCH --uid=0".into()],
            sound: vec!["--model".into(), "tiny.en".into()],
            models: vec!["tiny.en".into()],
            shards: 6,
            retries: 2,
            resources: Resources {
                partition: Some("gpu,main".into()),
                account: Some("lab@x".into()),
                gpus: 1,
                cpus: 4,
                memory: Some("8G".into()),
                time: Some("4:00:00".into()),
            },
            steps: ["inspire", "weave", "rank"].map(str::to_owned).to_vec(),
            asking: vec!["--model-role".into(), "judge=vllm/qwen".into()],
            server: ServerKind::LlamaCpp.command("/models/q w.gguf", "q w", 1),
            ..Plan::default()
        }
    }

    #[test]
    fn the_array_does_a_shard_a_job() {
        let all = scripts(&plan()).expect("scripts");
        let text = &all[1].text;
        insta::assert_snapshot!(&text[..text.find("\n# Runs a command").expect("the body")], @r"
        #!/bin/bash
        # Transcribes the recordings: one job of the array for each shard.
        # Written by `taskgen cluster slurm`, which overwrites it.
        #SBATCH --job-name=taskgen-shards
        #SBATCH --output=tasks/cluster/log/shards-%a.out
        #SBATCH --open-mode=append
        #SBATCH --requeue
        #SBATCH --signal=B:TERM@120
        #SBATCH --nodes=1
        #SBATCH --ntasks=1
        #SBATCH --array=1-6
        #SBATCH --partition=gpu,main
        #SBATCH --account=lab@x
        #SBATCH --time=4:00:00
        #SBATCH --cpus-per-task=4
        #SBATCH --mem=8G
        #SBATCH --gres=gpu:1

        retries=2
        shards=6
        folder='/data/it'\''s
        #SBATCH --uid=0'
        program='/opt/task gen/taskgen'
        options=('--project' '/data/it'\''s
        #SBATCH --uid=0')
        sound=('--model' 'tiny.en')
        recordings=('/data/it'\''s
        #SBATCH --uid=0/seminars/$(id).wav')
        ");
        assert!(text.ends_with(&format!("{RUN}{SHARDS}")));
    }

    #[test]
    fn slurm_reads_no_option_that_a_user_wrote() {
        for script in scripts(&plan()).expect("scripts") {
            let options = script.text.lines().take_while(|line| line.starts_with('#'));
            let slurm: Vec<&str> = options.filter(|line| line.starts_with("#SBATCH")).collect();
            assert!(slurm.len() > 6 && !slurm.iter().any(|line| line.contains("uid")));
            let checked = std::process::Command::new("bash")
                .args(["-n", "-c", &script.text])
                .status();
            assert!(checked.expect("bash").success(), "{}", script.text);
        }
        let bad = |resources| {
            scripts(&Plan {
                resources,
                ..plan()
            })
            .expect_err("refused")
        };
        let error = bad(Resources {
            partition: Some("main\n#SBATCH --uid=0".into()),
            ..Resources::default()
        });
        assert!(error.to_string().contains("--partition"), "{error}");
    }

    #[test]
    fn without_a_server_the_steps_ask_what_is_configured() {
        let all = scripts(&Plan {
            server: Vec::new(),
            ..plan()
        })
        .expect("scripts");
        assert!(
            !all[2].text.contains("VLLM_BASE_URL")
                && all[2].text.contains("'inspire' 'weave' 'rank'")
        );
        let vllm = ServerKind::Vllm
            .command("Qwen/Qwen3-4B", "Qwen/Qwen3-4B", 1)
            .join(" ");
        assert_eq!(
            vllm,
            "vllm serve Qwen/Qwen3-4B --served-model-name Qwen/Qwen3-4B"
        );
        let on_two = ServerKind::Vllm.command("q", "q", 2).join(" ");
        assert!(on_two.ends_with(" --tensor-parallel-size 2"), "{on_two}");
    }
}
