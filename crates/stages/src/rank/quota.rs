//! Quotas of a selection: at most or at least so many tasks of a discipline, family, phase,
//! language or recording. Hides how they are written.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// Most values that an error names as those that exist.
const KNOWN: usize = 12;

/// A facet of tasks that quotas can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// Its discipline.
    Discipline,
    /// Its family.
    Type,
    /// Its phase.
    Phase,
    /// Its language.
    Language,
    /// The recording that it comes from.
    Seminar,
}

impl Facet {
    /// All facets in order.
    pub const ALL: [Self; 5] = [
        Self::Discipline,
        Self::Type,
        Self::Phase,
        Self::Language,
        Self::Seminar,
    ];

    /// Its name in a quota.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discipline => "discipline",
            Self::Type => "type",
            Self::Phase => "phase",
            Self::Language => "language",
            Self::Seminar => "seminar",
        }
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Facet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|facet| facet.name() == text)
            .ok_or_else(|| {
                format!(
                    "no such facet: `{text}`\nhint: there are {}",
                    Self::ALL.map(Self::name).join(", ")
                )
            })
    }
}

/// At most or at least so many tasks of a value, or at most so many of each value, of a facet. Its
/// text is what `parse` reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quota {
    /// What it counts tasks by.
    pub(super) facet: Facet,
    /// None: each value by itself.
    value: Option<String>,
    /// Cap or minimum.
    pub(super) bound: Bound,
    /// How many tasks.
    pub(super) number: u32,
}

/// Cap or minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bound {
    Most,
    Least,
}

/// Reads `seminar=3` (at most three of each seminar), `language:en=50` (at most fifty in English)
/// and `language:zh>=20` (at least twenty in Chinese). `<=` is the same as `=`; values are compared
/// letter by letter.
pub fn parse(text: &str) -> Result<Quota, String> {
    let unreadable = || {
        format!(
            "not a quota: `{text}`\nhint: write `seminar=3`, `language:en=50` or `language:zh>=20`"
        )
    };
    let (left, number) = text.rsplit_once('=').ok_or_else(unreadable)?;
    let (left, bound) = match left.strip_suffix('>') {
        Some(left) => (left, Bound::Least),
        // `seminar<=3` reads as `seminar=3`, which already means at most.
        None => (left.strip_suffix('<').unwrap_or(left), Bound::Most),
    };
    let (facet, value) = match left.split_once(':') {
        Some((facet, value)) => (facet, Some(value.trim().to_owned())),
        None => (left, None),
    };
    if value.as_ref().is_some_and(String::is_empty) {
        return Err(unreadable());
    }
    let facet: Facet = facet.trim().parse()?;
    let number = number.trim();
    let number = number.parse().map_err(|_| {
        format!("not a number of tasks: `{number}`\nhint: write a whole one: `{facet}=3`")
    })?;
    if bound == Bound::Least && value.is_none() {
        return Err(format!(
            "a minimum needs a value: `{text}`\nhint: name one: `{facet}:VALUE>={number}`"
        ));
    }
    Ok(Quota {
        facet,
        value,
        bound,
        number,
    })
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self
            .value
            .as_ref()
            .map_or(String::new(), |value| format!(":{value}"));
        let sign = if self.bound == Bound::Least {
            ">="
        } else {
            "="
        };
        write!(f, "{}{value}{sign}{}", self.facet, self.number)
    }
}

impl From<Quota> for String {
    fn from(quota: Quota) -> Self {
        quota.to_string()
    }
}

impl TryFrom<String> for Quota {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse(&text)
    }
}

impl Quota {
    /// What it names where none of the tasks with these `facets` has that: its facet and value.
    pub fn unknown<'c>(
        &self,
        facets: impl IntoIterator<Item = &'c BTreeMap<Facet, String>>,
    ) -> Option<String> {
        let value = self.value.as_ref()?;
        let known: BTreeSet<&String> = facets
            .into_iter()
            .filter_map(|facets| facets.get(&self.facet))
            .collect();
        (!known.contains(value)).then(|| {
            let known: Vec<&str> = known.into_iter().map(String::as_str).take(KNOWN).collect();
            format!(
                "no ranked task has {} `{value}`; there is {}",
                self.facet,
                known.join(", ")
            )
        })
    }

    /// The value among `facets` that this quota counts, if it counts any.
    pub(super) fn counted<'f>(&self, facets: &'f BTreeMap<Facet, String>) -> Option<&'f String> {
        facets
            .get(&self.facet)
            .filter(|value| self.value.as_ref().is_none_or(|only| only == *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_written() {
        for text in [
            "seminar=3",
            "language:en=50",
            "language:zh>=20",
            "type:a:b=c=0",
        ] {
            assert_eq!(
                parse(text).map(|quota| quota.to_string()).as_deref(),
                Ok(text)
            );
        }
        assert_eq!(parse(" language : zh >= 20 "), parse("language:zh>=20"));
        assert_eq!(parse("language:en<=50"), parse("language:en=50"));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let check = |text: &str, expect: &str| {
            let error = parse(text).unwrap_err();
            assert!(
                error.starts_with(expect) && error.contains("\nhint: "),
                "{error}"
            );
        };
        check("seminar", "not a quota: `seminar`");
        check("language:=3", "not a quota: `language:=3`");
        check("seminars=3", "no such facet: `seminars`");
        check("=3", "no such facet: ``");
        check("seminar=few", "not a number of tasks: `few`");
        check("seminar=-1", "not a number of tasks: `-1`");
        check("language>=20", "a minimum needs a value: `language>=20`");
    }

    #[test]
    fn a_quota_is_stored_as_its_text() {
        let quota = parse("language:zh>=20").unwrap();
        assert_eq!(
            serde_json::to_string(&quota).unwrap(),
            r#""language:zh>=20""#
        );
        assert_eq!(
            serde_json::from_str::<Quota>(r#""language:zh>=20""#).unwrap(),
            quota
        );
        let error = serde_json::from_str::<Quota>(r#""language""#)
            .unwrap_err()
            .to_string();
        assert!(error.contains("not a quota: `language`"), "{error}");
    }

    #[test]
    fn values_that_no_task_has_are_named() {
        let facets =
            ["en", "zh"].map(|language| BTreeMap::from([(Facet::Language, language.to_owned())]));
        let unknown = |text: &str| parse(text).unwrap().unknown(&facets);
        assert_eq!(
            unknown("language:EN=3").as_deref(),
            Some("no ranked task has language `EN`; there is en, zh")
        );
        assert_eq!(
            (unknown("language:en=3"), unknown("language=3")),
            (None, None)
        );
    }

    #[test]
    fn names_are_the_stored_ones() {
        for facet in Facet::ALL {
            assert_eq!(serde_json::to_value(facet).unwrap(), facet.name());
            assert_eq!(facet.name().parse(), Ok(facet));
        }
    }
}
