//! The folder of an edition: what was planned, what was listed, each page that was fetched, and in
//! the end the edition itself. Every file is there as a whole or not at all.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Options;
use crate::{
    benchmarks::wiki_live_challenge::edition::{Edition, Head, MANIFEST},
    files::{create_own_folder, write_whole},
    mediawiki::{Member, PageOutcome, Site, Window},
};

/// Folder of what was fetched.
const COLLECTED: &str = "collected";
const PLAN: &str = "plan.json";
const LISTED: &str = "listed.json";
const PAGES: &str = "pages";
/// What an edition leaves in a folder.
const FOREIGN: [&str; 4] = [MANIFEST, "wiki_data", "test_data", "ATTRIBUTION.md"];

/// What is collected in a folder. Another run with another plan is refused: its pages would be
/// frozen at another moment, or be of another wiki.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the edition.
    pub name: String,
    /// Address of the API.
    pub api: String,
    /// Category of good articles.
    pub category: String,
    /// Window and moment of freezing.
    pub window: Window,
    /// The most articles.
    pub most: usize,
}

/// What the wiki listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Listed {
    /// Its description of itself.
    pub site: Site,
    /// An id below which no page of the window lies.
    pub first_page_id: u64,
    /// Pages of the category.
    pub members: Vec<Member>,
}

/// An edition's folder.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// What is collected in it.
    pub plan: Plan,
}

impl Folder {
    /// Opens a folder, and makes it where there is none. One with files of another origin is
    /// refused.
    pub fn open(options: &Options, api: &str) -> Result<Self> {
        let root = options.folder.clone();
        let path = root.join(COLLECTED).join(PLAN);
        let kept: Option<Plan> = read(&path).context(
            "nobody knows any more what is collected here\nhint: collect into another folder",
        )?;
        let mut window = options.window.clone();
        if let Some(kept) = kept.as_ref().filter(|_| !options.is_as_of_given) {
            window.as_of.clone_from(&kept.window.as_of);
        }
        let usual = || Head::usual_name(&window.since, &window.until);
        let plan = Plan {
            name: options.name.clone().unwrap_or_else(usual),
            api: api.to_owned(),
            category: options.category.clone(),
            window,
            most: options.most,
        };
        match kept {
            Some(kept) if kept != plan => bail!(
                "`{}` holds another collection: {}\nhint: give the same window, wiki and limits to go on with it, or another folder",
                root.display(),
                differences(&kept, &plan).join("; ")
            ),
            Some(_) => {}
            None if root.join(COLLECTED).join(LISTED).exists() => bail!(
                "`{}` has lost what was planned: its pages may be of any moment\nhint: collect into another folder",
                root.display()
            ),
            None => {
                if let Some(there) = FOREIGN.iter().find(|name| root.join(name).exists()) {
                    bail!(
                        "`{}` holds `{there}`, which no collection of ours left there\nhint: collect into another folder",
                        root.display()
                    );
                }
                create_own_folder(&root.join(COLLECTED))?;
                create_own_folder(&root.join(COLLECTED).join(PAGES))?;
            }
        }
        Ok(Self { root, plan })
    }

    /// The list of an earlier run.
    pub fn listed(&self) -> Result<Option<Listed>> {
        read(&self.root.join(COLLECTED).join(LISTED))
    }

    /// Keeps the list, once it is whole, and what it is of: before, nothing binds the folder.
    pub fn keep_list(&self, listed: &Listed) -> Result<()> {
        keep(&self.root.join(COLLECTED).join(PLAN), &self.plan)?;
        keep(&self.root.join(COLLECTED).join(LISTED), listed)
    }

    /// A page that was fetched before.
    pub fn page(&self, page_id: u64) -> Result<Option<PageOutcome>> {
        read(&self.page_path(page_id))
    }

    /// Keeps a page.
    pub fn keep_page(&self, page_id: u64, outcome: &PageOutcome) -> Result<()> {
        keep(&self.page_path(page_id), outcome)
    }

    fn page_path(&self, page_id: u64) -> PathBuf {
        let pages = self.root.join(COLLECTED).join(PAGES);
        pages.join(format!("{page_id}.json"))
    }

    /// Writes an edition; of one that is there, what was lost. Another one is refused: an edition
    /// that was published must stay what it is. Returns how many of its files somebody changed.
    pub fn write_edition(&self, edition: &Edition) -> Result<usize> {
        let path = self.root.join(MANIFEST);
        let manifest = edition.manifest.write();
        let is_whole = match fs_err::read(&path) {
            Ok(there) if there == manifest.as_bytes() => true,
            Ok(_) => bail!(
                "`{}` is the manifest of another edition, and an edition is never changed\nhint: collect into another folder and compare the two",
                path.display()
            ),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error.into()),
        };
        let mut changed = 0;
        for file in &edition.files {
            let path = self.root.join(&file.path);
            if is_whole && path.exists() {
                changed += usize::from(fs_err::read(&path)? != file.text.as_bytes());
            } else {
                write_whole(&path, file.text.as_bytes())?;
            }
        }
        write_whole(&path, manifest.as_bytes())?;
        Ok(changed)
    }
}

/// A kept file, if it is there.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let bytes = match fs_err::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let read = serde_json::from_slice(&bytes).with_context(|| {
        let path = path.display();
        format!("`{path}` is not as it was kept\nhint: remove it: it is fetched again, then")
    })?;
    Ok(Some(read))
}

fn keep(path: &Path, value: &impl Serialize) -> Result<()> {
    Ok(write_whole(path, &serde_json::to_vec(value)?)?)
}

/// What differs between two plans, in words.
fn differences(kept: &Plan, given: &Plan) -> Vec<String> {
    let (before, after) = (&kept.window, &given.window);
    let most = (kept.most.to_string(), given.most.to_string());
    let all = [
        ("name", &kept.name, &given.name),
        ("wiki", &kept.api, &given.api),
        ("category", &kept.category, &given.category),
        ("since", &before.since, &after.since),
        ("until", &before.until, &after.until),
        ("frozen at", &before.as_of, &after.as_of),
        ("articles", &most.0, &most.1),
    ];
    let other = all.iter().filter(|(_, kept, given)| kept != given);
    other
        .map(|(what, kept, given)| format!("{what} `{kept}`, and not `{given}`"))
        .collect()
}
