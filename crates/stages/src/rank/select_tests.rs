//! Each rule by hand, then what holds for any candidates and quotas.

use rand::{Rng, RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use super::*;
use crate::{rank::quota::parse, similarity::Encoding};

/// A candidate with a text like no other's; `facets` as in `zh` (language), `s1` (seminar),
/// `survey` (type).
fn candidate(id: &str, membership: f64, facets: &str) -> Candidate {
    let facet = |value: &str| match value {
        "zh" | "en" => Facet::Language,
        "survey" | "design" => Facet::Type,
        _ => Facet::Seminar,
    };
    let facets = facets
        .split_whitespace()
        .map(|value| (facet(value), value.to_owned()))
        .collect();
    let text = format!("task{id}");
    Candidate {
        id: id.to_owned(),
        text,
        facets,
        membership,
        elo: None,
        strength: 0.0,
        low: -1.0,
        high: 1.0,
    }
}

fn random(n: usize, rng: &mut impl Rng) -> Vec<Candidate> {
    let any = |of: &[&str], rng: &mut dyn Rng| of[rng.random_range(0..of.len())].to_owned();
    (0..n)
        .map(|i| {
            let seminar = format!("s{}", rng.random_range(0..5));
            let facets = [
                any(&["zh", "en", "en", ""], rng),
                any(&["survey", "design"], rng),
                seminar,
            ]
            .join(" ");
            // Few memberships, so that there are ties.
            let membership = f64::from(rng.random_range(0..=20)) / 20.0;
            Candidate {
                strength: rng.random_range(-1.0..1.0),
                ..candidate(&i.to_string(), membership, &facets)
            }
        })
        .collect()
}

fn options(top: usize, quotas: &[&str]) -> Options {
    Options {
        top,
        quotas: quotas.iter().map(|text| parse(text).unwrap()).collect(),
        ..Options::default()
    }
}

fn ids(placed: &[Placed]) -> Vec<&str> {
    placed.iter().map(|placed| placed.id.as_str()).collect()
}

/// The chosen, and of each who moved his name and why.
fn check(
    candidates: &[Candidate],
    top: usize,
    quotas: &[&str],
    chosen: &str,
    out: &str,
    come: &str,
) -> Selection {
    let selection = select(candidates, None, &options(top, quotas));
    let moved = |placed: &[Placed]| {
        let by = |placed: &Placed| {
            placed
                .by
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("+")
        };
        placed
            .iter()
            .map(|placed| format!("{}<{}", placed.id, by(placed)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ids(&selection.chosen).join(" "), chosen);
    assert_eq!(moved(&selection.pushed_out), out);
    assert_eq!(moved(&selection.came_in), come);
    selection
}

fn five() -> Vec<Candidate> {
    [
        ("a", 0.9, "en s1"),
        ("b", 0.8, "en s1"),
        ("c", 0.6, "en s2"),
        ("d", 0.4, "zh s1"),
        ("e", 0.1, "zh s3"),
    ]
    .map(|(id, membership, facets)| candidate(id, membership, facets))
    .to_vec()
}

#[test]
fn without_quotas_the_first_are_chosen() {
    let selection = check(&five(), 3, &[], "a b c", "", "");
    assert!((selection.expected_recall.unwrap() - 2.3 / 3.0).abs() < 1e-12);
    assert!(selection.given_up.abs() < 1e-12 && selection.unfilled.is_empty());
    assert_eq!(
        selection.counts[&Facet::Seminar],
        BTreeMap::from([("s1".into(), 2), ("s2".into(), 1)])
    );
}

#[test]
fn ties_go_to_strength_and_then_to_the_name() {
    let mut tied = ["b", "a", "d", "c"].map(|id| candidate(id, 0.5, ""));
    tied[2].strength = 1.0;
    tied[3].strength = f64::NAN;
    assert_eq!(
        ids(&select(&tied, None, &options(3, &[])).chosen),
        ["d", "a", "b"]
    );
}

#[test]
fn elo_ratings_come_before_memberships() {
    let rated = [("a", 1210.0), ("b", 1190.0), ("c", 1230.0)];
    let rated = rated.map(|(id, elo)| Candidate {
        elo: Some(elo),
        ..candidate(id, 0.1 * (elo - 1200.0).abs(), "")
    });
    assert_eq!(
        ids(&select(&rated, None, &options(2, &[])).chosen),
        ["c", "a"]
    );
}

#[test]
fn a_cap_leaves_its_place_to_the_next() {
    let selection = check(&five(), 3, &["seminar=1"], "a c e", "b<seminar=1", "e<");
    assert!((selection.given_up - 0.7).abs() < 1e-12);
    check(
        &five(),
        3,
        &["language:en=1"],
        "a d e",
        "b<language:en=1 c<language:en=1",
        "d< e<",
    );
}

#[test]
fn a_minimum_takes_its_best() {
    let selection = check(
        &five(),
        3,
        &["language:zh>=1"],
        "a b d",
        "c<language:zh>=1",
        "d<language:zh>=1",
    );
    assert!((selection.given_up - 0.2).abs() < 1e-12);
    check(
        &five(),
        3,
        &["language:zh>=1", "seminar=1"],
        "a c e",
        "b<seminar=1",
        "e<language:zh>=1",
    );
}

#[test]
fn overlapping_minima_share_where_places_are_scarce() {
    let three = [
        ("a", 0.9, "zh"),
        ("b", 0.8, "survey"),
        ("c", 0.7, "zh survey"),
    ];
    let three = three.map(|(id, membership, facets)| candidate(id, membership, facets));
    let both = ["language:zh>=1", "type:survey>=1"];
    assert_eq!(
        ids(&select(&three, None, &options(2, &both)).chosen),
        ["a", "b"]
    );
    check(
        &three,
        1,
        &both,
        "c",
        "a<type:survey>=1+language:zh>=1",
        "c<type:survey>=1+language:zh>=1",
    );
}

#[test]
fn what_is_missing_is_said() {
    let missing = |top: usize, quotas: &[&str]| {
        let selection = select(&five(), None, &options(top, quotas));
        let row = |unfilled: Unfilled| {
            let quota = unfilled
                .quota
                .map_or("all".into(), |quota| quota.to_string());
            let by: Vec<String> = unfilled.by.iter().map(ToString::to_string).collect();
            format!(
                "{quota} {}/{} {:?} {}",
                unfilled.found,
                unfilled.wanted,
                unfilled.cause,
                by.join("+")
            )
        };
        selection.unfilled.into_iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(missing(7, &[]), ["all 5/7 TooFew "]);
    assert_eq!(missing(4, &["seminar=1"]), ["all 3/4 Capped seminar=1"]);
    assert_eq!(
        missing(3, &["language:zh>=4"]),
        ["language:zh>=4 2/4 TooFew "]
    );
    assert_eq!(
        missing(3, &["language:zh>=2", "language:zh=1"]),
        ["language:zh>=2 1/2 Capped language:zh=1"]
    );
    assert_eq!(
        missing(1, &["language:zh>=2"]),
        ["language:zh>=2 1/2 NoRoom "]
    );
}

#[test]
fn the_best_of_the_copies_stays() {
    let long = "compare three models of speech recognition on recordings of old fishermen and write a report about \
                their errors with a table of words for each speaker and each of the models";
    let mut candidates = five();
    candidates[0].text = long.replace("old", "young");
    candidates[1].text = long.replace("table", "list");
    candidates[4].text = long.to_uppercase();
    let meaning = Meaning {
        vectors: vec![vec![1.0]; candidates.len()],
        groups: vec![vec![2, 3], vec![99]],
        by: Encoding::new("m".into(), "h".into()),
    };
    let selection = select(&candidates, Some(&meaning), &options(3, &[]));
    assert_eq!(ids(&selection.chosen), ["a", "c"]);
    let copies: Vec<_> = selection
        .duplicates
        .iter()
        .map(|copy| (copy.id.as_str(), copy.copy_of.as_str(), copy.likeness))
        .collect();
    // 31 words: one changed leaves 26 of 32 shingles; two leave 23 of 35, linked by the text
    // between them.
    assert_eq!(
        copies,
        [
            ("b", "a", 23.0 / 35.0),
            ("e", "a", 26.0 / 32.0),
            ("d", "c", 0.0)
        ]
    );
    let by: Vec<Link> = selection.duplicates.iter().map(|copy| copy.by).collect();
    assert_eq!(by, [Link::Words, Link::Words, Link::Meaning]);
    assert!(selection.pushed_out.is_empty() && selection.given_up.abs() < 1e-12);
    assert!(
        select(
            &candidates,
            None,
            &Options {
                near: 1.1,
                ..options(3, &[])
            }
        )
        .duplicates
        .is_empty()
    );
}

#[test]
fn the_most_doubtful_come_first() {
    let memberships = [0.76, 0.75, 0.74, 0.55, 0.4, 0.25, 0.24, 0.0];
    let candidates: Vec<Candidate> = memberships
        .iter()
        .enumerate()
        .map(|(i, m)| candidate(&i.to_string(), *m, ""))
        .collect();
    let selection = select(&candidates, None, &options(4, &[]));
    assert_eq!(ids(&selection.borderline), ["3", "4", "2", "5"]);
    assert_eq!(
        selection
            .borderline
            .iter()
            .map(|b| b.chosen)
            .collect::<Vec<_>>(),
        [true, false, true, false]
    );
    let standings: Vec<MembershipClass> = memberships.map(classify).to_vec();
    assert_eq!(
        standings
            .iter()
            .filter(|standing| **standing == MembershipClass::In)
            .count(),
        2
    );
    assert_eq!(
        standings
            .iter()
            .filter(|standing| **standing == MembershipClass::Out)
            .count(),
        2
    );
}

#[test]
fn odd_input_is_no_trouble() {
    let nothing = select(&[], None, &options(2, &["language:zh>=1"]));
    assert_eq!(
        (
            nothing.expected_recall,
            nothing.given_up,
            nothing.unfilled.len()
        ),
        (Some(0.0), 0.0, 2)
    );
    assert_eq!(
        select(&five(), None, &options(0, &["seminar=3"])).expected_recall,
        None
    );
    let odd =
        [f64::NAN, 7.0, -1.0].map(|membership| candidate(&membership.to_string(), membership, ""));
    let selection = select(&odd, None, &options(3, &[]));
    assert_eq!(
        selection
            .chosen
            .iter()
            .map(|placed| placed.membership)
            .collect::<Vec<_>>(),
        [1.0, 0.0, 0.0]
    );
    let text = serde_json::to_string(&selection).unwrap();
    assert_eq!(serde_json::from_str::<Selection>(&text).unwrap(), selection);
}

/// What holds for any candidates and quotas.
#[test]
fn quotas_hold_and_the_accounts_balance() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..300 {
        let mut candidates = random(40, &mut rng);
        let top = rng.random_range(1..50);
        let (cap, each, least) = (
            rng.random_range(0..20),
            rng.random_range(1..10),
            rng.random_range(0..15),
        );
        let [cap, each] = [format!("language:en={cap}"), format!("seminar={each}")];
        let [zh, survey] = [
            format!("language:zh>={least}"),
            format!("type:survey>={least}"),
        ];
        let all = [cap.as_str(), &each, &zh, &survey];
        let quotas: Vec<&str> = all.into_iter().filter(|_| rng.random()).collect();
        let selection = select(&candidates, None, &options(top, &quotas));

        candidates.shuffle(&mut rng);
        let reversed: Vec<&str> = quotas.iter().rev().copied().collect();
        assert_eq!(
            select(&candidates, None, &options(top, &reversed)),
            selection
        );

        for quota in &options(top, &quotas).quotas {
            let values = selection
                .counts
                .get(&quota.facet)
                .cloned()
                .unwrap_or_default();
            let facet_of = |value: &String| BTreeMap::from([(quota.facet, value.clone())]);
            let found = values
                .iter()
                .filter(|(value, _)| quota.counted(&facet_of(value)).is_some());
            let number = u64::from(quota.number);
            let said = selection
                .unfilled
                .iter()
                .any(|unfilled| unfilled.quota.as_ref() == Some(quota));
            match quota.bound {
                Bound::Most => assert!(found.into_iter().all(|(_, count)| *count <= number)),
                Bound::Least => {
                    assert_eq!(found.map(|(_, count)| count).sum::<u64>() < number, said);
                }
            }
        }
        let short = selection
            .unfilled
            .iter()
            .any(|unfilled| unfilled.quota.is_none());
        assert_eq!(selection.chosen.len() < top, short);
        let (first, out) = (top.min(40), selection.pushed_out.len());
        assert_eq!(
            selection.chosen.len() + out,
            first + selection.came_in.len()
        );
        assert!(
            selection
                .pushed_out
                .iter()
                .all(|placed| !placed.by.is_empty())
        );
        let sum = |placed: &[Placed]| placed.iter().map(|placed| placed.membership).sum::<f64>();
        assert!(
            (selection.given_up - sum(&selection.pushed_out) + sum(&selection.came_in)).abs()
                < 1e-9
        );
    }
}

/// Two minima can be met exactly where sharing leaves room: then they are.
#[test]
fn two_minima_are_met_wherever_they_can_be() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut met = 0;
    for _ in 0..300 {
        let candidates = random(30, &mut rng);
        let (a, b, top) = (
            rng.random_range(1..8),
            rng.random_range(1..14),
            rng.random_range(1..20),
        );
        let zh = |c: &&Candidate| {
            c.facets
                .get(&Facet::Language)
                .is_some_and(|value| value == "zh")
        };
        let survey = |c: &&Candidate| c.facets[&Facet::Type] == "survey";
        let (n_zh, n_survey) = (
            candidates.iter().filter(zh).count(),
            candidates.iter().filter(survey).count(),
        );
        let shared = candidates
            .iter()
            .filter(|c| zh(c) && survey(c))
            .count()
            .min(a)
            .min(b);
        let possible = a <= n_zh && b <= n_survey && a + b - shared <= top;
        let quotas = [format!("language:zh>={a}"), format!("type:survey>={b}")];
        let selection = select(&candidates, None, &options(top, &[&quotas[0], &quotas[1]]));
        assert_eq!(
            selection
                .unfilled
                .iter()
                .all(|unfilled| unfilled.quota.is_none()),
            possible
        );
        met += u32::from(possible);
    }
    assert!((50..250).contains(&met), "{met}");
}
