//! The table of tasks.

use crate::benchmarks::wiki_live_challenge::files::{COLUMNS, Spot, TaskTable};

const ROW: &str = "\"Ölten,_bridge_of\",https://wiki.test/O,20250101120000,900,12,2025-01-02,30,4,\
                   2025-02-01,\"Art, music\",Art and \"\"architecture\"\"";

fn text(end: &str) -> String {
    let row = ROW.replace(
        "Art and \"\"architecture\"\"",
        "\"Art and \"\"architecture\"\"\"",
    );
    format!("{}{end}{row}{end}", COLUMNS.join(","))
}

#[test]
fn cells_come_back_with_their_quotes() {
    for file in [
        text("\n"),
        text("\r\n"),
        text("\n").trim_end().to_owned(),
        format!("\u{feff}{}", text("\n")),
        "title,more\na,\"line\nend\"\nb,\n".to_owned(),
    ] {
        let read = TaskTable::read("ga.csv", file.as_bytes()).unwrap();
        assert_eq!(read.problems, [], "{file}");
        assert_eq!(read.value.write(), file);
    }
}

#[test]
fn cells_are_found_by_their_column() {
    let table = TaskTable::read("ga.csv", text("\n").as_bytes())
        .unwrap()
        .value;
    let row = table.tasks().next().unwrap();
    assert_eq!(row.title(), "Ölten,_bridge_of");
    assert_eq!(row.category(), "Art and \"architecture\"");
    assert_eq!(row.number("bytes"), Some(900));
    assert_eq!(row.get("no such column"), None);
    assert_eq!(row.line, 2);
}

#[test]
fn a_table_of_ours_reads_without_a_problem() {
    let cells = [
        "a,b",
        "u",
        "1",
        "2",
        "3",
        "d",
        "4",
        "5",
        "d",
        "k",
        "说\"话\"",
    ];
    let table = TaskTable::new(vec![cells.map(str::to_owned)]);
    let read = TaskTable::read("ga.csv", table.write().as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    assert_eq!(read.value, table);
}

#[test]
fn broken_rows_are_kept_and_told_with_their_line() {
    let file = "title,bytes\na,1\nb\nc,many\nd,2,3\n";
    let read = TaskTable::read("ga.csv", file.as_bytes()).unwrap();
    let told: Vec<&Spot> = read.problems.iter().map(|problem| &problem.spot).collect();
    let spots = [
        Spot::Line(3),
        Spot::LineField(4, "bytes".to_owned()),
        Spot::Line(5),
    ];
    assert_eq!(told, spots.iter().collect::<Vec<_>>());
    assert_eq!(read.value.write(), file);
}

#[test]
fn another_table_is_refused() {
    let problem = TaskTable::read("x.csv", b"name,size\na,1\n").unwrap_err();
    assert!(
        problem.to_string().contains("no column `title`"),
        "{problem}"
    );
    assert!(TaskTable::read("x.csv", b"").is_err());
    let problem = TaskTable::read("x.csv", b"title\n\xff\n").unwrap_err();
    assert_eq!(problem.spot, Spot::Line(2));
    let wide = format!("title\n{}\n", ",".repeat(5_000));
    assert!(TaskTable::read("x.csv", wide.as_bytes()).is_err());
}
