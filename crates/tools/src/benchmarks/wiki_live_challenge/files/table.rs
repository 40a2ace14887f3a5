//! The table of tasks, `ga_100.csv`.

use csv::{QuoteStyle, ReaderBuilder, Terminator, WriterBuilder};

use super::{FileRead, Problem, Spot, problem, utf8};

/// Columns of the benchmark's table.
pub const COLUMNS: [&str; 11] = [
    "title",
    "url",
    "created_ts",
    "bytes",
    "views_total",
    "effective_start",
    "days_effective",
    "external_links",
    "ga_date",
    "ga_topic_keyword",
    "category",
];

/// Columns that hold whole numbers.
const NUMBERS: [&str; 5] = [
    "created_ts",
    "bytes",
    "views_total",
    "days_effective",
    "external_links",
];

/// The most cells that a row may have.
const MOST_CELLS: usize = 1_000;
const CELLS_HINT: &str = "the row is kept; quote cells that have a comma, a quote or a line end";

/// Table of tasks, its cells as they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskTable {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with its line from 1.
    pub rows: Vec<(usize, Vec<String>)>,
    /// Whether lines end as on Windows.
    pub windows_lines: bool,
    /// Whether the last line is not ended.
    pub open_end: bool,
    /// Whether a byte order mark comes first.
    pub mark: bool,
}

/// Row of a table of tasks.
#[derive(Clone, Copy, Debug)]
pub struct TaskRow<'a> {
    columns: &'a [String],
    cells: &'a [String],
    /// Its line, from 1.
    pub line: usize,
}

impl<'a> TaskRow<'a> {
    /// The cell of a column.
    pub fn get(&self, column: &str) -> Option<&'a str> {
        let at = self.columns.iter().position(|name| name == column)?;
        self.cells.get(at).map(String::as_str)
    }

    /// The number in a column.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.get(column)?.trim().parse().ok()
    }

    /// Title of the article, its spaces as underscores.
    pub fn title(&self) -> &'a str {
        self.get("title").unwrap_or_default()
    }

    /// Category of the article.
    pub fn category(&self) -> &'a str {
        self.get("category").unwrap_or_default()
    }
}

impl TaskTable {
    /// A table of our own, of rows with the cells of [`COLUMNS`].
    pub fn new(rows: Vec<[String; 11]>) -> Self {
        let rows = rows.into_iter().zip(2..);
        Self {
            columns: COLUMNS.iter().map(ToString::to_string).collect(),
            rows: rows.map(|(cells, line)| (line, cells.to_vec())).collect(),
            ..Self::default()
        }
    }

    /// Reads a file; `name` is for messages.
    pub fn read(name: &str, bytes: &[u8]) -> Result<FileRead<Self>, Problem> {
        let text = utf8(name, bytes)?;
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(body.as_bytes());
        let mut table = Self {
            windows_lines: body
                .split_once('\n')
                .is_some_and(|(line, _)| line.ends_with('\r')),
            open_end: !body.ends_with('\n'),
            mark: body.len() < text.len(),
            ..Self::default()
        };
        let mut problems = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| {
                let line = e.position().map_or(1, |position| position.line() as usize);
                problem(name, Spot::Line(line), e.to_string(), CELLS_HINT)
            })?;
            let line = record
                .position()
                .map_or(1, |position| position.line() as usize);
            if record.len() > MOST_CELLS {
                let why = format!("{} cells in a row", record.len());
                return Err(problem(
                    name,
                    Spot::Line(line),
                    why,
                    "is this the right file?",
                ));
            }
            let cells: Vec<String> = record.iter().map(str::to_owned).collect();
            if table.columns.is_empty() {
                table.columns = cells;
            } else {
                table.rows.push((line, cells));
            }
        }
        if !table.columns.iter().any(|column| column == "title") {
            let why = "no column `title`".to_owned();
            let hint = "is this the right file? the first line of the table names its columns";
            return Err(problem(name, Spot::Line(1), why, hint));
        }
        for row in table.tasks() {
            problems.extend(faults(name, &row));
        }
        let value = table;
        Ok(FileRead { value, problems })
    }

    /// The rows.
    pub fn tasks(&self) -> impl Iterator<Item = TaskRow<'_>> {
        self.rows.iter().map(|(line, cells)| TaskRow {
            columns: &self.columns,
            cells,
            line: *line,
        })
    }

    /// Text of the file: cells are quoted where they must be.
    pub fn write(&self) -> String {
        let terminator = if self.windows_lines {
            Terminator::CRLF
        } else {
            Terminator::Any(b'\n')
        };
        let mut writer = WriterBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quote_style(QuoteStyle::Necessary)
            .terminator(terminator)
            .from_writer(Vec::new());
        let rows = self.rows.iter().map(|(_, cells)| cells);
        for cells in std::iter::once(&self.columns).chain(rows) {
            // A vector takes all that is written.
            let _ = writer.write_record(cells);
        }
        let bytes = writer.into_inner().unwrap_or_default();
        let mut text = String::from_utf8(bytes).unwrap_or_default();
        if self.open_end {
            let ended = text
                .strip_suffix('\n')
                .map(|text| text.trim_end_matches('\r').len());
            text.truncate(ended.unwrap_or(text.len()));
        }
        if self.mark {
            text.insert(0, '\u{feff}');
        }
        text
    }
}

fn faults(name: &str, row: &TaskRow<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if row.cells.len() != row.columns.len() {
        let why = format!(
            "{} cells under {} columns",
            row.cells.len(),
            row.columns.len()
        );
        problems.push(problem(name, Spot::Line(row.line), why, CELLS_HINT));
    }
    for column in NUMBERS {
        let cell = row.get(column).unwrap_or_default();
        if !cell.is_empty() && row.number(column).is_none() {
            let cell = crate::benchmarks::fields::excerpt(cell);
            let spot = Spot::LineField(row.line, column.to_owned());
            let why = format!("expected a whole number, found `{cell}`");
            problems.push(problem(
                name,
                spot,
                why,
                "the cell is kept; write digits alone",
            ));
        }
    }
    problems
}
