//! Gold articles as Wikipedia's interface gave them.

use serde_json::{Number, Value};

use super::{Article, Content, Fault, Field, FieldPath, Named, Object, Shape, article::first_text};
use crate::benchmarks::fields::record;

record! {
    /// Raw page of a gold article. Its revisions, with the wikitext, are kept as they stand.
    RawWiki {
        /// Whether the reply is whole.
        batchcomplete: Value,
        /// The page.
        query: RawQuery,
        /// Its sections.
        parse: Parse,
        /// Its wikitext.
        revisions: Value,
        /// When it was fetched, in seconds since 1970.
        fetched_at: Number,
    }
}

impl Content for RawWiki {
    const NEEDED: &'static [&'static str] = &["query"];
}

record! {
    /// Reply with pages.
    RawQuery {
        /// How the title was changed.
        normalized: Vec<Value>,
        /// The page by its id.
        pages: Named<RawPage>,
    }
}

record! {
    /// Text of a raw page.
    RawPage {
        /// Id at Wikipedia.
        pageid: u64,
        /// Namespace; 0 is that of articles.
        ns: Number,
        /// Title.
        title: String,
        /// Plain text.
        extract: String,
        /// Plain text with tables.
        extract_with_tables: String,
        /// The tables.
        tables: Value,
    }
}

record! {
    /// Parsed page.
    Parse {
        /// Title.
        title: String,
        /// Id at Wikipedia.
        pageid: u64,
        /// Redirects that were followed.
        redirects: Vec<Value>,
        /// Its headings.
        sections: Vec<Field<Section>>,
        /// Whether a table of contents is shown.
        showtoc: Value,
    }
}

record! {
    /// Heading of a page.
    Section {
        /// Level in the table of contents, from 1.
        toclevel: u64,
        /// Level as in HTML, `2` to `6`.
        level: String,
        /// The heading.
        line: String,
        /// Number in the table of contents, such as `2.1`.
        number: String,
        /// Number among the headings.
        index: String,
        /// Page that it comes from.
        fromtitle: Value,
        /// Anchor.
        anchor: String,
        /// Anchor in links.
        link_anchor ("linkAnchor"): String,
    }
}

impl RawWiki {
    /// The first page.
    pub fn page(&self) -> Option<&RawPage> {
        let pages = self.query.get()?.pages.get()?;
        pages.iter().next().map(|(_, page)| page)
    }

    /// The article; `stem` is its title where the file has none.
    pub fn article(&self, stem: &str) -> Option<Article> {
        let page = self.page()?;
        let text = first_text([&page.extract_with_tables, &page.extract])?;
        let title = page.title.get().map_or(stem, String::as_str);
        Some(Article {
            title: title.to_owned(),
            text: text.to_owned(),
        })
    }

    /// The headings.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        let parse = self.parse.get().into_iter();
        let sections = parse.filter_map(|parse| parse.sections.get()).flatten();
        sections.filter_map(Field::get)
    }
}
