//! Pages of a few lines, each for one thing that tells the order in which they are read.

use super::*;

/// Glyphs of a line of text in a font of 10 points whose letters are 5 wide; spaces are gaps.
fn line(x: f64, y: f64, text: &str) -> Vec<Glyph> {
    let glyph = |(i, c): (usize, char)| {
        let from = x + 5.0 * i as f64;
        Glyph {
            text: c.to_string(),
            from: [from, y],
            to: [from + 5.0, y],
            size: 10.0,
            visible: true,
        }
    };
    text.chars()
        .enumerate()
        .filter(|(_, c)| *c != ' ')
        .map(glyph)
        .collect()
}

fn check(lines: &[(f64, f64, &str)], expect: &[&str]) {
    let glyphs = lines
        .iter()
        .flat_map(|(x, y, words)| line(*x, *y, words))
        .collect();
    assert_eq!(
        text(glyphs).trim().split("\n\n").collect::<Vec<_>>(),
        expect
    );
}

#[test]
fn lines_become_paragraphs() {
    check(
        &[
            (50.0, 700.0, "A title"),
            (50.0, 670.0, "The sensors were cali-"),
            (50.0, 658.0, "brated in the lab, well"),
            (50.0, 646.0, "before."),
            (50.0, 634.0, "The second part of it."),
            (62.0, 622.0, "An indented paragraph"),
            (50.0, 610.0, "ends here, as it must."),
        ],
        &[
            "A title",
            "The sensors were calibrated in the lab, well before.",
            "The second part of it.",
            "An indented paragraph ends here, as it must.",
        ],
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut lines = vec![(
        50.0,
        700.0,
        "A title that runs over both of the columns of this page, all the way",
    )];
    for i in 0..7 {
        lines.push((
            50.0,
            670.0 - 12.0 * f64::from(i),
            "left words of the first column.",
        ));
        lines.push((
            250.0,
            670.0 - 12.0 * f64::from(i),
            "right words of the second one.",
        ));
    }
    let left = ["left words of the first column."; 7].join(" ");
    let right = ["right words of the second one."; 7].join(" ");
    check(&lines, &[lines[0].2, &left, &right]);
}

/// Lines of a column from the height `top` down, each with its number; those of 34 letters reach
/// over 170 points.
fn column(x: f64, top: f64, name: &str, count: usize) -> Vec<(f64, f64, String)> {
    (0..count)
        .map(|i| {
            let words = format!("{name} line {i} with a few more words");
            (x, top - 12.0 * i as f64, words)
        })
        .collect()
}

/// The words of a column.
fn words(name: &str, lines: std::ops::Range<usize>) -> String {
    let line = |i| format!("{name} line {i} with a few more words");
    lines.map(line).collect::<Vec<_>>().join(" ")
}

/// The text of lines as one line, so that only the order of the words counts.
fn order(lines: &[(f64, f64, String)]) -> String {
    let glyphs = lines.iter().flat_map(|(x, y, words)| line(*x, *y, words));
    let text = text(glyphs.collect());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn columns_whose_lines_stand_at_different_heights() {
    let left = column(50.0, 700.0, "left", 9);
    let right = column(250.0, 694.0, "right", 9);
    assert_eq!(
        order(&[left, right].concat()),
        [words("left", 0..9), words("right", 0..9)].join(" ")
    );
}

#[test]
fn a_short_line_above_a_formula_is_no_column() {
    let mut lines = column(50.0, 700.0, "text", 12);
    // A line ends early, and a formula stands to its right on the next.
    lines[5].2 = "it is".to_owned();
    lines[6] = (180.0, lines[6].1, "a = b".to_owned());
    assert_eq!(
        order(&lines),
        [
            words("text", 0..5),
            "it is a = b".to_owned(),
            words("text", 7..12)
        ]
        .join(" ")
    );
}

#[test]
fn a_line_cut_into_pieces_is_no_column() {
    // Small letters above the text, as in Japanese, come between its pieces in the content.
    let glyphs: Vec<Glyph> = (0..9)
        .flat_map(|i| {
            let y = 700.0 - 24.0 * f64::from(i);
            let small = line(150.0, y + 9.0, "above");
            let small = small.into_iter().map(|glyph| Glyph { size: 4.0, ..glyph });
            let (first, second) = (
                line(50.0, y, "the first half of an"),
                line(150.0, y, "old line, and the other."),
            );
            first.into_iter().chain(small).chain(second)
        })
        .collect();
    let read = text(glyphs);
    let read = read.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        read,
        ["above the first half of an old line, and the other."; 9].join(" ")
    );
}

#[test]
fn what_runs_across_both_columns_divides_them() {
    let title = "A title that runs over both of the columns of this page, all the way";
    let figure = "Figure 1: The sensors of the field, seen from above, in May and June";
    let lines = [
        vec![(50.0, 740.0, title.to_owned())],
        column(50.0, 700.0, "left", 7),
        column(250.0, 697.0, "right", 7),
        vec![(50.0, 580.0, figure.to_owned())],
        column(50.0, 550.0, "lower", 7),
        column(250.0, 545.0, "last", 7),
    ];
    let texts = [
        title.to_owned(),
        words("left", 0..7),
        words("right", 0..7),
        figure.to_owned(),
        words("lower", 0..7),
        words("last", 0..7),
    ];
    assert_eq!(order(&lines.concat()), texts.join(" "));
}

#[test]
fn footnotes_stay_below_their_column() {
    let lines = [
        column(50.0, 700.0, "left", 7),
        vec![(50.0, 600.0, "1 The note of the left column.".to_owned())],
        column(250.0, 695.0, "right", 9),
    ];
    let texts = [
        words("left", 0..7),
        "1 The note of the left column.".to_owned(),
        words("right", 0..9),
    ];
    assert_eq!(order(&lines.concat()), texts.join(" "));
}

#[test]
fn running_titles_and_page_numbers_are_no_part_of_a_column() {
    let lines = [
        vec![
            (50.0, 740.0, "Journal of Soils".to_owned()),
            (330.0, 740.0, "May 2024".to_owned()),
        ],
        column(50.0, 700.0, "left", 8),
        column(250.0, 700.0, "right", 8),
        vec![(233.0, 580.0, "17".to_owned())],
    ];
    let texts = [
        "Journal of Soils May 2024".to_owned(),
        words("left", 0..8),
        words("right", 0..8),
        "17".to_owned(),
    ];
    assert_eq!(order(&lines.concat()), texts.join(" "));
}

#[test]
fn a_table_across_both_columns_is_read_by_row() {
    let cells = |y: f64, cells: [&str; 4]| {
        let x = [50.0, 150.0, 250.0, 350.0];
        x.iter()
            .zip(cells)
            .map(|(x, cell)| (*x, y, cell.to_owned()))
            .collect::<Vec<_>>()
    };
    let head = "Table 1: Water in the soils of five fields, by depth and by month, 2024";
    let lines = [
        vec![(50.0, 760.0, head.to_owned())],
        cells(740.0, ["soil", "depth", "May", "June"]),
        cells(728.0, ["loam", "10 cm", "0.31", "0.28"]),
        cells(716.0, ["sand", "10 cm", "0.12", "0.09"]),
        vec![(
            50.0,
            704.0,
            "All values are means of the five fields and of the two sensors.".to_owned(),
        )],
        column(50.0, 680.0, "left", 8),
        column(250.0, 676.0, "right", 8),
    ];
    let texts = [
        head,
        "soil depth May June loam 10 cm 0.31 0.28 sand 10 cm 0.12 0.09",
        "All values are means of the five fields and of the two sensors.",
        &words("left", 0..8),
        &words("right", 0..8),
    ];
    assert_eq!(order(&lines.concat()), texts.join(" "));
}

#[test]
fn a_table_in_a_column_stays_there() {
    let mut right = column(250.0, 695.0, "right", 12);
    for (i, cells) in [("loam", "0.31"), ("sand", "0.12"), ("clay", "0.40")]
        .iter()
        .enumerate()
    {
        right[4 + i].2 = cells.0.to_owned();
        right.push((350.0, right[4 + i].1, cells.1.to_owned()));
    }
    let texts = [
        words("left", 0..12),
        words("right", 0..4),
        "loam 0.31 sand 0.12 clay 0.40".to_owned(),
        words("right", 7..12),
    ];
    assert_eq!(
        order(&[column(50.0, 700.0, "left", 12), right].concat()),
        texts.join(" ")
    );
}

#[test]
fn a_sentence_goes_on_in_the_next_column() {
    let mut left = column(50.0, 700.0, "left", 8);
    left[7].2 = "left words that are cali-".to_owned();
    let mut right = column(250.0, 700.0, "right", 8);
    right[0].2 = "brated in the lab with more".to_owned();
    let expect = format!(
        "{} left words that are calibrated in the lab with more {}",
        words("left", 0..7),
        words("right", 1..8)
    );
    let lines: Vec<_> = [left, right].concat();
    let lines: Vec<_> = lines
        .iter()
        .map(|(x, y, words)| (*x, *y, words.as_str()))
        .collect();
    check(&lines, &[&expect]);
}

#[test]
fn numbers_of_lines_are_read_after_the_page() {
    let text = column(50.0, 700.0, "text", 8);
    let numbers = text.iter().zip(8..).flat_map(|((_, y, _), number)| {
        // Their ends stand below each other.
        let digits = number.to_string();
        let glyphs = line(30.0 - 5.0 * digits.len() as f64, *y, &digits);
        glyphs.into_iter().map(|glyph| Glyph { size: 6.0, ..glyph })
    });
    let glyphs: Vec<Glyph> = text
        .iter()
        .flat_map(|(x, y, words)| line(*x, *y, words))
        .chain(numbers)
        .collect();
    assert_eq!(
        super::text(glyphs),
        format!("{}\n\n8 9 10 11 12 13 14 15\n\n", words("text", 0..8))
    );
}

#[test]
fn references_begin_with_their_labels() {
    check(
        &[
            (50.0, 700.0, "[1] A. Author. Water in soils"),
            (70.0, 688.0, "of the north. Journal, 2020"),
            (50.0, 676.0, "[22] B. Author. Sand and fun-"),
            (70.0, 664.0, "damental loam. Journal, 2021"),
        ],
        &[
            "[1] A. Author. Water in soils of the north. Journal, 2020",
            "[22] B. Author. Sand and fundamental loam. Journal, 2021",
        ],
    );
}

#[test]
fn a_stamp_from_corner_to_corner_is_read_after_the_page() {
    let lines = column(50.0, 700.0, "text", 8);
    let stamp = line(540.0, 400.0, "Not for distribution").into_iter();
    let glyphs = lines.iter().flat_map(|(x, y, words)| line(*x, *y, words));
    // Turning back what was turned by 315 degrees leaves it running up by 45.
    let glyphs = glyphs.chain(stamp.map(|glyph| turn(glyph, 315))).collect();
    assert_eq!(
        text(glyphs),
        format!("{}\n\nNot for distribution\n\n", words("text", 0..8))
    );
}

#[test]
fn tables_are_read_by_row() {
    let rows: Vec<_> = (0..8)
        .flat_map(|i| {
            [
                (50.0, 700.0 - 12.0 * f64::from(i), "loam"),
                (150.0, 700.0 - 12.0 * f64::from(i), "0.044"),
            ]
        })
        .collect();
    check(&rows, &["loam 0.044"; 8]);
}

#[test]
fn chinese_has_no_spaces_between_lines() {
    check(
        &[(50.0, 700.0, "土壤水分"), (50.0, 688.0, "传感器。")],
        &["土壤水分传感器。"],
    );
}

#[test]
fn turned_text_is_read_along_its_line() {
    let turned = |degrees: u16| {
        line(50.0, 700.0, "ab c")
            .into_iter()
            .map(|g| turn(g, degrees))
            .collect::<Vec<_>>()
    };
    assert!([45, 90, 180, 270].map(|degrees| text(turned(degrees))) == ["ab c\n\n"; 4]);
}

#[test]
fn small_raised_digits_are_exponents() {
    let mut glyphs = line(50.0, 700.0, "10");
    glyphs.extend(
        line(60.0, 703.5, "6")
            .into_iter()
            .map(|g| Glyph { size: 7.0, ..g }),
    );
    assert_eq!(text(glyphs).trim(), "10^6");
}

#[test]
fn hidden_glyphs_are_read_only_where_there_is_nothing_else() {
    let hidden: Vec<Glyph> = line(50.0, 650.0, "praise it")
        .into_iter()
        .map(|g| Glyph {
            visible: false,
            ..g
        })
        .collect();
    assert_eq!(text(hidden.clone()).trim(), "praise it");
    assert_eq!(
        text([line(50.0, 700.0, "seen"), hidden].concat()).trim(),
        "seen"
    );
    assert_eq!(text(Vec::new()), "");
}
