//! Seats: exchanging the articles and the judge's answers changes no figure.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples::{read_broken, writing_value};
use crate::benchmarks::wiki_live_challenge::{
    aggregate::{
        Counting,
        writing::{first, seats_swapped, writing},
    },
    files::{Winner, WritingFile},
};

/// Verdicts with all that may be wrong in them.
fn verdicts() -> impl Strategy<Value = Value> {
    let winner = prop_oneof![
        4 => prop_oneof![Just(json!("gen")), Just(json!("gt")), Just(json!("tie"))],
        1 => prop_oneof![Just(json!("draw")), Just(json!(null)), Just(json!(2))],
    ];
    let code = prop_oneof![
        4 => (0_u64..3).prop_map(Value::from),
        1 => prop_oneof![Just(json!("2")), Just(json!(null)), Just(json!(3)), Just(json!(1.5))],
    ];
    let fields = (0_u64..42, winner, code, 0..4_u8);
    fields.prop_map(|(index, winner, code, left_out)| {
        let mut verdict = json!({"criterion_index": index});
        if left_out != 0 {
            verdict["winner"] = winner;
        }
        if left_out != 1 {
            verdict["winner_code"] = code;
        }
        verdict
    })
}

fn files() -> impl Strategy<Value = WritingFile> {
    let listed = || prop::collection::vec(verdicts(), 0..25);
    let seat = prop_oneof![
        Just(None),
        Just(Some("gt")),
        Just(Some("gen")),
        Just(Some("tie"))
    ];
    let parts = (listed(), listed(), listed(), any::<bool>(), seat);
    parts.prop_map(|(written, broad, own, allow_tie, seat)| {
        let mut file = json!({
            "allow_tie": allow_tie,
            "details": {"Well-written": written, "Broad in its coverage": broad, "Own": own},
        });
        if let Some(seat) = seat {
            file["first_article"] = json!(seat);
        }
        read_broken(&file)
    })
}

proptest! {
    #[test]
    fn swapped_seats_change_no_figure(file in files()) {
        let swapped = seats_swapped(&file);
        prop_assert_ne!(first(&swapped), first(&file));
        for counting in [Counting::Compat, Counting::Strict] {
            prop_assert_eq!(writing(&swapped, counting), writing(&file, counting));
        }
        let back = seats_swapped(&swapped);
        prop_assert_eq!(&back.details, &file.details);
        prop_assert_eq!(first(&back), first(&file));
    }
}

/// The property can fail: answers that are swapped while the seats are not change the figures.
#[test]
fn answers_alone_are_not_swapped_unnoticed() {
    let mut value = writing_value(5);
    for verdict in value["details"]["Well-written"].as_array_mut().unwrap() {
        verdict.as_object_mut().unwrap().shift_remove("winner");
    }
    let file: WritingFile = read_broken(&value);
    let mut half = seats_swapped(&file);
    half.first_article = Winner::Gt.into();
    for counting in [Counting::Compat, Counting::Strict] {
        assert_ne!(writing(&half, counting), writing(&file, counting));
    }
    let whole = seats_swapped(&read_broken(&writing_value(5)));
    let wrong = WritingFile {
        first_article: Winner::Gt.into(),
        ..whole
    };
    let strict = writing(&wrong, Counting::Strict);
    assert_eq!(
        strict.overall.scored(),
        0,
        "words and answers contradict each other"
    );
}
