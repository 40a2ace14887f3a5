//! The rules against tables, and against seats that are exchanged.

use proptest::prelude::{ProptestConfig, Strategy, prop_assert_eq, proptest};

use super::*;

/// A grade a character: `B` second much better, `b` second better, `=` tie, `a`, `A`; `x` failed.
fn rounds(text: &str) -> Vec<Option<Grade>> {
    let grade = |letter: char| {
        "Bb=aA"
            .find(letter)
            .and_then(|at| Grade::from_lead(at as i32 - 2))
    };
    text.chars().map(grade).collect()
}

/// The number of rounds that are played, what ends them, and the result.
fn played(rule: &StopRule, text: &str) -> Option<(u32, StopCause, MatchResult)> {
    let (tally, ending) = rule.play(rounds(text));
    ending.map(|ending| (tally.rounds(), ending.cause, ending.result))
}

#[test]
fn the_published_rule_by_table() {
    use MatchResult::{First, Second, Tie};
    use StopCause::{Lead, RoundLimit};
    let rule = StopRule::default();
    for (text, expected) in [
        // The walk-through of the paper: 2 to 5.
        ("abaBBA", Some((5, Lead, Second))),
        ("A", Some((1, Lead, First))),
        ("aa", Some((2, Lead, First))),
        ("ab=", None),
        // Much better for the side that trails: a lead of one, and on it goes.
        ("aB", None),
        ("aBA", None),
        ("aBb", Some((3, Lead, Second))),
        ("==========", Some((10, RoundLimit, Tie))),
        ("abababababa", Some((10, RoundLimit, Tie))),
        ("=a========", Some((10, RoundLimit, First))),
        // A round that failed is used up, and is nobody's point.
        ("xxxxxxxxxb", Some((10, RoundLimit, Second))),
        ("xA", Some((2, Lead, First))),
    ] {
        assert_eq!(played(&rule, text), expected, "{text}");
    }
}

#[test]
fn the_papers_text_ends_on_much_better() {
    let rule = StopRule::Margin(Margin {
        much_better_ends: true,
        ..Margin::default()
    });
    assert_eq!(
        played(&rule, "aB"),
        Some((2, StopCause::MuchBetter, MatchResult::Second))
    );
    let later = StopRule::Margin(Margin {
        least_rounds: 3,
        ..Margin::default()
    });
    assert_eq!(
        played(&later, "AAA"),
        Some((3, StopCause::Lead, MatchResult::First))
    );
}

fn wins(most_rounds: u32) -> StopRule {
    StopRule::Sprt(Sprt {
        evidence: Evidence::Wins,
        most_rounds,
        ..Sprt::default()
    })
}

/// ln 9 / ln (7/3) is 2.59: three wins more.
#[test]
fn wins_alone_are_a_lead_in_wins() {
    use MatchResult::{First, Second, Undecided};
    use StopCause::{Evidence, RoundLimit};
    for (text, expected) in [
        ("aaa", Some((3, Evidence, First))),
        ("AA=A", Some((4, Evidence, First))),
        ("abaBBBb", Some((7, Evidence, Second))),
        ("aa", None),
        ("aaabbaaa", Some((3, Evidence, First))),
        ("aabbaabb", Some((8, RoundLimit, Undecided))),
        ("aabbaab=", Some((8, RoundLimit, Undecided))),
        ("xxxxxxaa", Some((8, RoundLimit, Undecided))),
    ] {
        assert_eq!(played(&wins(8), text), expected, "{text}");
    }
}

/// By hand: at thresholds of .615 and 2.056 seven decisive rounds of ten are a difference of .77.
#[test]
fn much_better_weighs_less_than_twice() {
    let sprt = Sprt::default();
    let delta = difference(0.7, 0.615, 2.056);
    assert!((decisive_share(delta, 0.615, 2.056) - 0.7).abs() < 1e-9);
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    let much = (sigma(delta - 2.056) / sigma(-delta - 2.056)).ln();
    let weights = sprt.weights();
    assert!((weights[4] - much).abs() < 1e-9 && weights[2].abs() < 1e-12);
    let ratio = weights[4] / weights[3];
    assert!((1.5..1.8).contains(&ratio), "{ratio}");
    assert!((sprt.bounds().1 - 9.0_f64.ln()).abs() < 1e-12);
}

#[test]
fn wrong_numbers_have_one_clear_message() {
    let sprt = |change: fn(&mut Sprt)| {
        let mut sprt = Sprt::default();
        change(&mut sprt);
        StopRule::Sprt(sprt)
    };
    let rules = [
        (
            StopRule::Margin(Margin {
                lead: 0,
                ..Margin::default()
            }),
            "a lead of 0",
        ),
        (
            StopRule::Margin(Margin {
                least_rounds: 11,
                ..Margin::default()
            }),
            "no number of rounds",
        ),
        (sprt(|of| of.superiority = 0.5), "not the probability"),
        (sprt(|of| of.superiority = f64::NAN), "not the probability"),
        (sprt(|of| of.alpha = 0.0), "not a bound"),
        (sprt(|of| of.beta = 0.5), "not a bound"),
        (sprt(|of| of.most_rounds = 0), "a match needs a round"),
        (
            sprt(|of| {
                of.evidence = Evidence::Grades {
                    better: 2.0,
                    much_better: 1.0,
                }
            }),
            "not thresholds",
        ),
    ];
    for (rule, begins) in rules {
        let message = rule.check().unwrap_err();
        assert!(
            message.starts_with(begins) && message.contains("\nhint: "),
            "{message}"
        );
    }
    assert_eq!(StopRule::default().check(), Ok(()));
    assert_eq!(StopRule::Sprt(Sprt::default()).check(), Ok(()));
}

fn any_rounds() -> impl Strategy<Value = Vec<Option<Grade>>> {
    proptest::collection::vec((-3..3_i32).prop_map(Grade::from_lead), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Exchanged seats and verdicts: the same rounds, the same cause, the other winner.
    #[test]
    fn exchanged_seats_exchange_the_winner(rounds in any_rounds()) {
        let paper = Margin { much_better_ends: true, ..Margin::default() };
        let rules = [
            StopRule::default(),
            StopRule::Margin(paper),
            wins(15),
            StopRule::Sprt(Sprt::default()),
        ];
        let swapped: Vec<Option<Grade>> =
            rounds.iter().map(|round| round.map(Grade::swapped)).collect();
        for rule in rules {
            let (before, ended) = rule.play(rounds.iter().copied());
            let (after, ended_too) = rule.play(swapped.iter().copied());
            prop_assert_eq!(before.rounds(), after.rounds());
            let points = after.points();
            prop_assert_eq!(before.points(), (points.1, points.0));
            let back = |ending: Ending| Ending { result: ending.result.swapped(), ..ending };
            prop_assert_eq!(ended, ended_too.map(back));
        }
    }
}
