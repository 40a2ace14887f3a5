//! JSON: values, styles, numbers to the last digit, what is broken.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::benchmarks::wiki_live_challenge::files::json::{
    DEEPEST, Layout, OddityKind, Style, parse, python_float, write,
};

/// Texts as Python's `json.dumps` writes them, each in another style.
#[test]
fn every_style_of_python_is_written_again() {
    let texts = [
        "[]",
        "{}\n",
        "[\n  1,\n  {\n    \"a\": [],\n    \"b\": {}\n  }\n]",
        "[\n 1,\n {\n  \"a\": 0.1\n }\n]",
        "{\"a\": [1, 2.5], \"b\": null}",
        "{\"a\":[1,2.5],\"b\":true}",
        "{\"a\": \"\\u6865\\ud83d\\ude00\\u007f\"}\n",
        "{\"a\": \"桥😀\u{7f}\\n\\u001b\\\"\\\\/\"}",
        "[\"\\u007f\"]",
        "\u{feff}[1]",
        "7",
        "\"x\"",
    ];
    for text in texts {
        let parsed = parse(text).unwrap();
        assert_eq!(parsed.oddities, [], "{text}");
        assert_eq!(write(&parsed.value, parsed.style), text);
    }
}

#[test]
fn the_style_is_read_off_the_text() {
    let style = |text| parse(text).unwrap().style;
    assert_eq!(style("[\n    1\n]").layout, Layout::Indented(4));
    assert_eq!(style("[1, 2]").layout, Layout::OneLine);
    assert_eq!(style("[1,2]").layout, Layout::Compact);
    assert!(style("[\"\\u6865\"]\n").ascii);
    assert!(!style("[\"\\u6865 桥\"]").ascii);
    assert!(
        !style("[\"\\\\u6865\"]").ascii,
        "a backslash and letters are no escape"
    );
    assert!(style("[1]\n").last_newline);
}

#[test]
fn floats_are_written_as_python_writes_them() {
    let known = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.000_01, "1e-05"),
        (1.5e-7, "1.5e-07"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1.234_567_890_123_456_7e22, "1.2345678901234568e+22"),
        (5e-324, "5e-324"),
        (-2.5e100, "-2.5e+100"),
    ];
    for (float, text) in known {
        assert_eq!(python_float(float), text);
    }
}

/// These lose their last digit when they are read in a hurry.
#[test]
fn numbers_are_read_to_the_nearest() {
    for text in [
        "0.31231231231231233",
        "122.416294033786585",
        "1.7976931348623157e+308",
    ] {
        let value = parse(text).unwrap().value;
        let nearest: f64 = text.parse().unwrap();
        assert_eq!(
            value.as_f64().unwrap().to_bits(),
            nearest.to_bits(),
            "{text}"
        );
    }
}

#[test]
fn unusual_numbers_are_told() {
    for (text, again) in [
        ("1.50", "1.5"),
        ("1E5", "100000.0"),
        ("-0", "0"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
    ] {
        let parsed = parse(&format!("{{\"a\": [\n{text}]}}")).unwrap();
        let [odd] = parsed.oddities.as_slice() else {
            panic!("{text}")
        };
        assert_eq!((odd.line, odd.path.as_str()), (2, "a[0]"));
        let written = text.to_owned();
        let again = again.to_owned();
        assert_eq!(odd.kind, OddityKind::Number { written, again });
    }
    let whole = parse("[18446744073709551615, -9223372036854775808, 0]").unwrap();
    assert_eq!(whole.oddities, []);
}

#[test]
fn repeated_keys_are_told_and_the_later_value_counts() {
    let parsed = parse("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}, \"a\": 3}").unwrap();
    assert_eq!(parsed.value, json!({"a": 3, "b": {"c": 2}}));
    let told: Vec<(usize, &str)> = parsed
        .oddities
        .iter()
        .map(|odd| (odd.line, odd.path.as_str()))
        .collect();
    assert_eq!(told, [(2, "b.c"), (2, "a")]);
}

#[test]
fn what_is_broken_has_its_line_and_its_path() {
    let cases = [
        ("", 1, "", "ends here"),
        ("{\"a\": [1,\n2", 2, "a", "ends here"),
        ("{\"a\": [1,\n2 3]}", 2, "a", "`,` or `]`"),
        ("{\"a\": {\"b\":\n nul}}", 2, "a.b", "expected a value"),
        ("{\"a\": NaN}", 1, "a", "expected a value"),
        ("{\"a\": 1e999}", 1, "a", "too large"),
        ("{\"a\": 01}", 1, "a", "not a number"),
        ("{\"a\": 1.}", 1, "a", "not a number"),
        ("{\"a\": -}", 1, "a", "not a number"),
        ("{\"a\" 1}", 1, "", "expected `:`"),
        ("{\"a\": 1,}", 1, "", "a key in quotes"),
        ("{a: 1}", 1, "", "a key in quotes"),
        ("[1] 2", 1, "", "follows the value"),
        ("[\"a\nb\"]", 1, "[0]", "inside a text"),
        ("[\"\\ud83d\"]", 1, "[0]", "surrogate"),
        ("[\"\\ud83d\\u0041\"]", 1, "[0]", "surrogate"),
        ("[\"\\ude00\"]", 1, "[0]", "surrogate"),
        ("[\"\\u12g4\"]", 1, "[0]", "hexadecimal"),
        ("[\"\\x41\"]", 1, "[0]", "unknown escape"),
    ];
    for (text, line, path, why) in cases {
        let broken = parse(text).unwrap_err();
        assert_eq!((broken.line, broken.path.as_str()), (line, path), "{text}");
        assert!(broken.why.contains(why), "{text}: {}", broken.why);
        assert!(!broken.hint.is_empty());
    }
}

#[test]
fn depth_has_a_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(DEEPEST)).is_ok());
    let broken = parse(&nested(DEEPEST + 1)).unwrap_err();
    assert!(broken.why.contains("deep"), "{}", broken.why);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "\\PC{0,8}[\\x00-\\x1f\\x7f\"\\\\/😀]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn styles() -> impl Strategy<Value = Style> {
    let layout = prop_oneof![
        (0_usize..6).prop_map(Layout::Indented),
        Just(Layout::OneLine),
        Just(Layout::Compact)
    ];
    (layout, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(layout, ascii, last_newline, mark)| Style {
            layout,
            ascii,
            last_newline,
            mark,
        },
    )
}

/// Whether values are the same but for the last digits of fractions.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().eq(b.keys());
            names && a.values().zip(b.values()).all(|(a, b)| alike(a, b))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-14
        }
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn any_value_in_any_style_comes_back_with_the_same_text(value in values(), style in styles()) {
        let text = write(&value, style);
        let parsed = parse(&text).unwrap();
        prop_assert_eq!(&parsed.value, &value);
        prop_assert_eq!(&parsed.oddities, &[]);
        prop_assert_eq!(write(&parsed.value, parsed.style), text);
    }

    #[test]
    fn what_is_written_is_json_for_others(value in values(), style in styles()) {
        let text = write(&value, Style { mark: false, ..style });
        let other: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(alike(&other, &value), "{} {}", other, value);
        prop_assert!(!style.ascii || text.is_ascii());
    }

    #[test]
    fn no_text_is_read_where_others_read_none(text in "[\\[\\]{}:,\"0-9eE.+a-z \\\\-]{0,24}") {
        let other = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(parse(&text).is_ok(), other.is_ok(), "{}", text);
    }
}
