//! Contradictions that code finds in real reports, for reading: `TASKGEN_LRB=DIR` names a folder of
//! reports in Markdown. Without it the test says so and is skipped.

use std::io::Write as _;

use taskgen::lint::consistency::check;

#[test]
fn contradictions_are_listed() {
    let mut out = std::io::stderr().lock();
    let Some(folder) = std::env::var_os("TASKGEN_LRB") else {
        writeln!(out, "skipped: TASKGEN_LRB names no folder of reports").unwrap();
        return;
    };
    let mut paths: Vec<_> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are reports");
    for path in paths {
        let report = fs_err::read_to_string(&path).unwrap();
        let found = check(&report);
        writeln!(out, "{}: {}", path.display(), found.len()).unwrap();
        for conflict in found {
            writeln!(out, "  {:?}: {}", conflict.kind, conflict.what).unwrap();
            for place in [&conflict.first, &conflict.second] {
                let quote = place.quote.replace('\n', " / ");
                writeln!(out, "    line {}: {quote}", place.line).unwrap();
                let chars: String = report
                    .chars()
                    .skip(place.start)
                    .take(place.end - place.start)
                    .collect();
                assert_eq!(chars, place.quote, "the quote is a span of the report");
            }
        }
    }
}
