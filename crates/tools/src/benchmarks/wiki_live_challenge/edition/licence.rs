//! The licence and the authors of an edition's texts, and addresses at the wiki.

use serde::{Deserialize, Serialize};

use super::Gold;

/// What texts of Wikipedia are under.
const BY_SA_4: (&str, &str) = ("CC BY-SA 4.0", "creativecommons.org/licenses/by-sa/4.0");
/// Stands where a wiki names no licence.
const NOT_STATED: &str = "not stated by the wiki";
/// Characters that an address in a path does not hold as they are. Others stay, as in the
/// benchmark's own files.
const ESCAPED: &str = "\"#%&+<>?[\\]^`{|}";

/// A wiki, as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiki {
    /// Address of its API.
    pub api: String,
    /// Its name.
    pub name: String,
    /// Address of its server, with the scheme.
    pub server: String,
    /// Path of `index.php`.
    pub script: String,
    /// Path of an article, with `$1` for its title.
    pub article_path: String,
    /// Its licence in its own words; empty where it states none.
    pub licence: String,
    /// Address of the licence.
    pub licence_url: String,
}

/// Licence of an edition's texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    /// Its name: `CC BY-SA 4.0` for Wikipedia.
    pub name: String,
    /// Its address; empty where the wiki gives none.
    pub url: String,
}

impl Wiki {
    /// The licence that the wiki states. Nothing is supposed: another wiki may have another one.
    pub fn licence(&self) -> Licence {
        let (name, url) = BY_SA_4;
        let name = if self.licence_url.contains(url) {
            name
        } else if self.licence.is_empty() {
            NOT_STATED
        } else {
            &self.licence
        };
        Licence {
            name: name.to_owned(),
            url: self.licence_url.clone(),
        }
    }

    /// Address of an article, which no report may use.
    pub fn article(&self, title: &str) -> String {
        let mut path = String::with_capacity(title.len());
        for c in title.chars() {
            match c {
                ' ' => path.push('_'),
                c if ESCAPED.contains(c) => path.push_str(&format!("%{:02X}", u32::from(c))),
                c => path.push(c),
            }
        }
        format!(
            "{}{}",
            self.server,
            self.article_path.replacen("$1", &path, 1)
        )
    }

    /// Address of a revision, which stays what it is.
    pub fn permanent_link(&self, revision: u64) -> String {
        format!("{}{}?oldid={revision}", self.server, self.script)
    }

    /// Address of the list of a page's authors, which outlives a new title.
    pub fn history(&self, page_id: u64) -> String {
        format!(
            "{}{}?curid={page_id}&action=history",
            self.server, self.script
        )
    }

    /// The line with which a text is passed on: title, authors, source, licence, changes.
    pub fn attribution(&self, article: &Gold, licence: &Licence) -> String {
        let url = if licence.url.is_empty() {
            String::new()
        } else {
            format!(" ({})", licence.url)
        };
        let terms = if licence.url.is_empty() && licence.name == NOT_STATED {
            "under a licence that the wiki does not state".to_owned()
        } else {
            format!("{}{url}", licence.name)
        };
        format!(
            "“{}” by the contributors to {} ({}), revision {} ({}), {terms}. Changed: plain text \
             without boxes, pictures, notes and references.",
            article.title,
            self.name,
            self.history(article.page_id),
            article.revision,
            self.permanent_link(article.revision),
        )
    }
}
