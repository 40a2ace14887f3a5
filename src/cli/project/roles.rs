//! Models by role: one, several (a panel), or a table with parameters of its own.

use serde::{Deserialize, Serialize};

use crate::{
    arena, inspire,
    llm::{Research, is_code},
    rank::signals,
    weave,
};

/// The default model.
pub const DEFAULT_MODEL: &str = "local/qwen2.5-coder-0.5b";

/// The judge of tasks by default: a built-in model would be no better than chance.
pub const DEFAULT_JUDGE: &str = signals::JUDGE;

/// Code that can fill a role, where a built-in model does worse.
const CODE: [(&str, &str); 5] = [
    ("inspire", inspire::CODE),
    ("weave", weave::CODE),
    ("judge", signals::JUDGE),
    ("examine", arena::EXAMINER),
    ("duel", arena::JUDGE),
];

/// The roles that exist.
pub const NAMES: [&str; 14] = [
    "inspire",
    "review",
    "weave",
    "translate",
    "probe",
    "judge",
    "relate",
    "keypoints",
    "checklist",
    "rate",
    "complete",
    "examine",
    "duel",
    "extract",
];

/// The roles of `taskgen run`.
pub const OF_RUN: [&str; 5] = ["inspire", "review", "weave", "translate", "judge"];

/// The roles that may have a panel of several models.
const PANELS: [&str; 5] = ["judge", "relate", "checklist", "rate", "complete"];

/// Roles and their models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Roles {
    /// Finds inspirations; may be code.
    pub inspire: Role,
    /// Reviews inspirations, and attempts by probes.
    pub review: Role,
    /// Writes tasks; may be code.
    pub weave: Role,
    /// Writes tasks in another language.
    pub translate: Role,
    /// Tries tasks from memory.
    pub probe: Role,
    /// Compares tasks; several judges are a panel, and one of them may be code.
    pub judge: Role,
    /// Judges how reports relate to key points; several are a panel. Where it is left out, the
    /// models of `judge` (until the two were told apart, one role had both tasks), or the default
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relate: Option<Role>,
    /// Finds the key points of web pages.
    pub keypoints: Role,
    /// Writes the checklist of a task; several write one each, and all of them merge these into
    /// one.
    pub checklist: Role,
    /// Rates reports by a criterion; several are a panel.
    pub rate: Role,
    /// Completes the first half of a task: the models that may know the tasks by heart.
    pub complete: Role,
    /// Writes the questions of a duel; may be code.
    pub examine: Role,
    /// Says which of two answers is better; may be code, and should be another model than
    /// `examine`.
    pub duel: Role,
    /// Writes the statements of reports out of their sentences.
    pub extract: Role,
}

/// The models of a role, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub struct Role(pub Vec<Member>);

/// A model of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// `provider/model`.
    pub model: String,
    /// Requests in flight at once, to begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<usize>,
    /// Seconds after which a request is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Sampling temperature, 0 to 2; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// A reply is cut at this many tokens, where the stage's own limit does not suit the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How an agent's model searches and thinks; no role has settings for it.
    #[serde(skip)]
    pub research: Box<Research>,
}

/// As it is written: `"p/m"`, `["p/m", …]`, `{ model = "p/m", … }`, or a list of both.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a role is `provider/model`, a table with a `model`, or a list of these"
)]
enum Form {
    One(Entry),
    Panel(Vec<Entry>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a role is `provider/model`, a table with a `model`, or a list of these"
)]
enum Entry {
    Name(String),
    Table(Member),
}

impl Roles {
    /// The models of a role by its name.
    pub fn get(&self, role: &str) -> Role {
        if role == "relate" {
            return self.relating();
        }
        let models = match role {
            "inspire" => &self.inspire,
            "review" => &self.review,
            "weave" => &self.weave,
            "translate" => &self.translate,
            "probe" => &self.probe,
            "keypoints" => &self.keypoints,
            "checklist" => &self.checklist,
            "rate" => &self.rate,
            "complete" => &self.complete,
            "examine" => &self.examine,
            "duel" => &self.duel,
            "extract" => &self.extract,
            _ => &self.judge,
        };
        models.clone()
    }

    fn relating(&self) -> Role {
        if let Some(own) = &self.relate {
            return own.clone();
        }
        let models = self.judge.0.iter().filter(|member| !member.is_code());
        let models: Vec<Member> = models.cloned().collect();
        if models.is_empty() {
            Role::default()
        } else {
            Role(models)
        }
    }

    /// Gives a role other models, `a/b` or `a/b,c/d`. Whether there is such a role.
    pub fn set(&mut self, role: &str, models: &str) -> bool {
        let slot = match role {
            "inspire" => &mut self.inspire,
            "review" => &mut self.review,
            "weave" => &mut self.weave,
            "translate" => &mut self.translate,
            "probe" => &mut self.probe,
            "judge" => &mut self.judge,
            "keypoints" => &mut self.keypoints,
            "checklist" => &mut self.checklist,
            "rate" => &mut self.rate,
            "complete" => &mut self.complete,
            "examine" => &mut self.examine,
            "duel" => &mut self.duel,
            "extract" => &mut self.extract,
            "relate" => self.relate.get_or_insert_default(),
            _ => return false,
        };
        *slot = Role(
            models
                .split(',')
                .map(|name| Member::named(name.trim()))
                .collect(),
        );
        true
    }

    /// Checks beyond the types.
    pub fn check(&self) -> Result<(), String> {
        for name in NAMES {
            let members = self.get(name).0;
            match members.len() {
                0 => return Err(format!("the role `{name}` has no model")),
                1 => {}
                _ if PANELS.contains(&name) => {}
                n => {
                    return Err(format!(
                        "the role `{name}` takes one model, not {n}: only `judge`, `relate`, `checklist`, `rate` and `complete` may be several"
                    ));
                }
            }
            for (at, member) in members.iter().enumerate() {
                if members[..at]
                    .iter()
                    .any(|other| other.model == member.model)
                {
                    return Err(format!(
                        "the role `{name}` names a model twice: `{}`",
                        member.model
                    ));
                }
                if member.is_code() {
                    check_code(name, &member.model)?;
                }
                if member
                    .temperature
                    .is_some_and(|warmth| !(0.0..=2.0).contains(&warmth))
                    || member.max_tokens == Some(0)
                {
                    return Err(format!(
                        "`{}`: temperature must be 0 to 2, and max_tokens at least 1",
                        member.model
                    ));
                }
                // All roles share one limiter per model, and so what it begins with.
                let connection = |member: &Member| (member.max_connections, member.timeout);
                let mut others = NAMES.iter().flat_map(|role| self.get(role).0);
                if others.any(|other| {
                    other.model == member.model && connection(&other) != connection(member)
                }) {
                    return Err(format!(
                        "`{}` must have the same max_connections and timeout in each role",
                        member.model
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Whether code of this name fills the role.
fn check_code(role: &str, name: &str) -> Result<(), String> {
    if CODE.contains(&(role, name)) {
        return Ok(());
    }
    Err(match CODE.iter().find(|(of, _)| *of == role) {
        Some((_, code)) => format!("no such code for the role `{role}`: `{name}`; it is `{code}`"),
        None => format!(
            "`{name}`: code fills the roles `inspire`, `weave`, `judge`, `examine` and `duel`, and not `{role}`, which takes a model"
        ),
    })
}

impl Default for Roles {
    fn default() -> Self {
        Self {
            inspire: Role(vec![Member::named(inspire::CODE)]),
            review: Role::default(),
            weave: Role(vec![Member::named(weave::CODE)]),
            translate: Role::default(),
            probe: Role::default(),
            judge: Role(vec![Member::named(DEFAULT_JUDGE)]),
            relate: None,
            keypoints: Role::default(),
            checklist: Role::default(),
            rate: Role::default(),
            complete: Role::default(),
            examine: Role(vec![Member::named(arena::EXAMINER)]),
            duel: Role(vec![Member::named(arena::JUDGE)]),
            extract: Role::default(),
        }
    }
}

impl Default for Role {
    fn default() -> Self {
        Self(vec![Member::named(DEFAULT_MODEL)])
    }
}

impl Member {
    /// Whether it is no model, but code.
    fn is_code(&self) -> bool {
        is_code(&self.model)
    }

    fn named(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            max_connections: None,
            timeout: None,
            temperature: None,
            max_tokens: None,
            research: Box::default(),
        }
    }
}

impl From<Entry> for Member {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Name(name) => Self::named(&name),
            Entry::Table(member) => member,
        }
    }
}

impl From<Form> for Role {
    fn from(form: Form) -> Self {
        Self(match form {
            Form::One(entry) => vec![Member::from(entry)],
            Form::Panel(entries) => entries.into_iter().map(Member::from).collect(),
        })
    }
}

impl From<Member> for Entry {
    fn from(member: Member) -> Self {
        let plain = Member::named(&member.model) == member;
        if plain {
            Self::Name(member.model)
        } else {
            Self::Table(member)
        }
    }
}

impl From<Role> for Form {
    fn from(role: Role) -> Self {
        let mut entries: Vec<Entry> = role.0.into_iter().map(Entry::from).collect();
        match entries.len() {
            1 => Self::One(entries.remove(0)),
            _ => Self::Panel(entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_fills_three_roles_and_each_has_its_own() {
        let names = |roles: &Roles, role: &str| -> Vec<String> {
            roles.get(role).0.into_iter().map(|m| m.model).collect()
        };
        let mut roles = Roles::default();
        assert_eq!(names(&roles, "judge"), [DEFAULT_JUDGE]);
        assert_eq!(names(&roles, "relate"), [DEFAULT_MODEL]);
        roles.set("judge", "code/signals, a/b");
        assert_eq!(names(&roles, "relate"), ["a/b"]);
        assert!(roles.check().is_ok());
        assert_eq!(names(&roles, "inspire"), [inspire::CODE]);
        for (role, code, says) in [
            ("rate", DEFAULT_JUDGE, "not `rate`"),
            ("inspire", DEFAULT_JUDGE, "it is `code/sentences`"),
            ("judge", inspire::CODE, "it is `code/signals`"),
        ] {
            let mut roles = Roles::default();
            roles.set(role, code);
            assert!(roles.check().is_err_and(|why| why.contains(says)), "{role}");
        }
    }

    #[test]
    fn one_model_a_panel_or_a_table() {
        let roles = |text: &str| toml::from_str::<Roles>(text);
        let names = |role: &Role| role.0.iter().map(|m| m.model.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(&roles("judge = \"a/b\"").expect("one").judge),
            ["a/b"]
        );
        let panel =
            roles("judge = [\"a/b\", { model = \"c/d\", max_connections = 4 }]").expect("a panel");
        assert_eq!(names(&panel.judge), ["a/b", "c/d"]);
        assert_eq!(panel.judge.0[1].max_connections, Some(4));
        assert_eq!(
            toml::from_str::<Roles>(&toml::to_string(&panel).expect("writes")).expect("reads"),
            panel
        );
        assert!(roles("judge = { modle = \"a/b\" }").is_err());
        assert!(
            roles("weave = [\"a/b\", \"c/d\"]")
                .expect("parses")
                .check()
                .is_err()
        );
        let warm = roles("judge = { model = \"a/b\", temperature = 0.7 }").expect("parses");
        assert!(warm.check().is_ok() && warm.judge.0[0].temperature == Some(0.7));
        assert!(
            roles("judge = { model = \"a/b\", temperature = 7 }")
                .expect("parses")
                .check()
                .is_err()
        );
        assert!(
            roles("weave = \"a/b\"\njudge = { model = \"a/b\", timeout = 7 }")
                .expect("parses")
                .check()
                .is_err()
        );
        assert!(
            roles("judge = [\"a/b\", \"a/b\"]")
                .expect("parses")
                .check()
                .is_err()
        );
    }
}
