//! Pairs with a known answer among those of a ranking: a task beside a version of it that code has
//! spoiled. Hides which tasks are taken, how they are spoiled and on which side they stand.

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::{Value, json};

use super::{Read, items::Items, judge, panel::prompts_of_member, request::Asked, weigh};
use crate::{
    context::{Context, StageReport},
    data::{Expected, HIDDEN_PAIR, ItemId, Side, SubjectKind},
    judging::hidden::{self, Hidden, Watch},
    text::spoil,
};

/// How a task is spoiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Cut to a fragment.
    Cut,
    /// With its words in no order, and as long as it was.
    Scrambled,
}

impl Way {
    const BOTH: [Self; 2] = [Self::Cut, Self::Scrambled];

    /// The word that is stored.
    fn word(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Scrambled => "scrambled",
        }
    }
}

/// A task beside its spoiled version.
#[derive(Clone, Debug)]
pub(super) struct HiddenPair {
    task: ItemId,
    way: Way,
    /// Where the task stands.
    side: Side,
    /// What a judge sees, as `a` and `b`.
    vars: Value,
}

/// The pairs with a known answer of one run.
pub(super) struct HiddenPairs {
    offered: Vec<(ItemId, Way)>,
    /// How many of `offered` were looked at.
    looked_at: usize,
    /// Pairs that were put among questions.
    given: usize,
    /// Questions so far.
    questions: u64,
    watch: Watch,
}

impl HiddenPairs {
    /// The pairs of a run, and an error for a judge that has failed such pairs before.
    pub fn begin(ctx: &Context, items: &Items, read: Read) -> Result<Self> {
        let prompt_hash = |member| match read {
            Read::Logprobs => weigh::hash(ctx, &items.prompts),
            Read::Words => {
                let [pair, _] = prompts_of_member(ctx, &items.prompts, member)?;
                Ok(ctx.llm.prompt_hash(pair)?)
            }
        };
        // Of other items nobody has said what spoils them.
        let tested = if items.kind == SubjectKind::Task {
            hidden::tested(ctx, "judge", prompt_hash)?
        } else {
            Vec::new()
        };
        let mut offered: Vec<(ItemId, Way)> = Vec::new();
        if !tested.is_empty() {
            let ids = items.ids().into_iter();
            offered.extend(ids.flat_map(|id| Way::BOTH.map(|way| (id.clone(), way))));
            offered.sort_by_cached_key(|(id, way)| hidden::drawn(ctx.seed, &name(id, *way)));
        }
        Ok(Self {
            offered,
            looked_at: 0,
            given: 0,
            questions: 0,
            watch: Watch::begin(ctx, HIDDEN_PAIR, "judge", tested)?,
        })
    }

    /// The pairs that are due among so many more questions, for each member that is tested.
    pub fn next(
        &mut self,
        ctx: &Context,
        items: &Items,
        questions: usize,
    ) -> Result<Vec<Hidden<HiddenPair>>> {
        self.questions += questions as u64;
        let due = hidden::due(ctx.probing.share, self.questions);
        let mut pairs = Vec::new();
        while self.given < due && self.looked_at < self.offered.len() {
            let (task, way) = &self.offered[self.looked_at];
            self.looked_at += 1;
            // A task of a few words cannot be spoiled: the next one is taken.
            let Some(pair) = spoiled(ctx.seed, items, task, *way)? else {
                continue;
            };
            pairs.extend(self.watch.members().map(|member| Hidden {
                of: pair.clone(),
                member,
                number: self.given,
            }));
            self.given += 1;
        }
        Ok(pairs)
    }

    /// Asks about a pair, and takes in the answer; an error where the judge has failed by it.
    pub async fn ask(
        &self,
        ctx: &Context,
        items: &Items,
        read: Read,
        hidden: &Hidden<HiddenPair>,
    ) -> Result<()> {
        let pair = &hidden.of;
        let expected = Expected::Winner(pair.side.word().to_owned());
        let asked = Asked {
            instrument: HIDDEN_PAIR,
            subject: pair.task.as_str(),
            other: pair.way.word(),
            vars: &pair.vars,
            sample: 0,
            keep: hidden::kept(pair.way.word(), &expected),
        };
        let judged = match read {
            Read::Words => judge::ask_pair(ctx, items, asked, hidden.member).await?,
            Read::Logprobs => weigh::ask_pair(ctx, items, asked, hidden.member).await?,
        };
        let reply = judged.reply.as_ref().ok();
        let right = reply.map(|verdict| expected.is_met(&verdict.decision()));
        self.watch.note(hidden.member, hidden.number, right)
    }

    /// Adds the results to the ranking's report.
    pub fn report(&self, report: &mut StageReport) {
        self.watch.report(report);
    }
}

fn name(task: &ItemId, way: Way) -> String {
    format!("{task} {}", way.word())
}

/// A task beside its spoiled version; none where it cannot be spoiled, or where another task reads
/// like the spoiled one, so that the question could be a real one.
fn spoiled(seed: u64, items: &Items, task: &ItemId, way: Way) -> Result<Option<HiddenPair>> {
    let shown = items.shown(task)?;
    let text = shown["text"].as_str().unwrap_or_default();
    let drawn = hidden::drawn(seed, &name(task, way));
    let spoiled = match way {
        Way::Cut => spoil::cut(text),
        Way::Scrambled => spoil::scrambled(text, &mut ChaCha8Rng::seed_from_u64(drawn)),
    };
    let Some(spoiled) = spoiled.filter(|text| !items.is_text(text)) else {
        return Ok(None);
    };
    let mut other = shown.clone();
    other["text"] = json!(spoiled);
    let (side, vars) = if drawn.is_multiple_of(2) {
        (Side::A, json!({ "a": shown, "b": other }))
    } else {
        (Side::B, json!({ "a": other, "b": shown }))
    };
    Ok(Some(HiddenPair {
        task: task.clone(),
        way,
        side,
        vars,
    }))
}
