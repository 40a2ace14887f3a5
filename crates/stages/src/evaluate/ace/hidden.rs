//! Ratings with a known answer: of a report whose words are in no order, which meets no criterion.
//! Hides which reports and criteria are taken.

use anyhow::Result;
use rand::{SeedableRng as _, rngs::ChaCha8Rng};

use super::question::{Asked, ROLE, Rater};
use crate::{
    context::Context,
    data::{Expected, HIDDEN_RATING},
    judging::{
        self,
        hidden::{self, Hidden, Probes, Watch},
        rate::Rated,
    },
    text::spoil,
};

/// The best rating of such a report that is right: from 5 on a report does what is needed.
const BEST: f64 = 4.0;

/// A report whose words are in no order, and a criterion.
#[derive(Clone)]
pub struct HiddenRating<'a> {
    asked: Asked<'a>,
    report: String,
}

/// The ratings with a known answer among `questions`, which hold those to every member; an error
/// for a judge that has failed such questions before.
pub fn probes<'a>(
    ctx: &Context,
    rater: &Rater<'_>,
    questions: &[Asked<'a>],
) -> Result<Probes<HiddenRating<'a>>> {
    let tested = hidden::tested(ctx, ROLE, |_| rater.hash(ctx))?;
    let mut offered: Vec<&Asked<'a>> = Vec::new();
    if !tested.is_empty() {
        offered.extend(questions.iter().filter(|of| of.is_first()));
        offered.sort_by_cached_key(|of| hidden::drawn(ctx.seed, &of.title()));
    }
    let watch = Watch::begin(ctx, HIDDEN_RATING, ROLE, tested)?;
    let made = offered.into_iter().filter_map(|of| {
        let drawn = hidden::drawn(ctx.seed, &of.title());
        let mut rng = ChaCha8Rng::seed_from_u64(drawn);
        Some(HiddenRating {
            asked: of.clone(),
            report: spoil::scrambled(of.text(), &mut rng)?,
        })
    });
    let each = questions.len() / ctx.llm.members(ROLE).max(1);
    Ok(Probes::among(each as u64, ctx, watch, made))
}

/// Asks for a rating, and says whether it is right.
pub async fn ask(
    ctx: &Context,
    rater: &Rater<'_>,
    hidden: &Hidden<HiddenRating<'_>>,
) -> Result<Option<bool>> {
    let expected = Expected::AtMost(BEST);
    let asked = &hidden.of.asked;
    let vars = rater.vars(asked, &hidden.of.report);
    let question = judging::Question {
        instrument: HIDDEN_RATING,
        keep: hidden::kept("scrambled", &expected),
        ..rater.question(asked, hidden.member, &vars)
    };
    let judged = judging::judge::<Rated>(ctx, question).await?;
    Ok(hidden::is_right(&expected, &judged))
}
