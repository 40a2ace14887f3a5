//! The measures of an agent by key and by name.

use super::{Headline, Measure, Row};

/// The key of a headline among [`measures`].
pub fn measure_key(headline: Headline) -> &'static str {
    match headline {
        Headline::Ace => "ace",
        Headline::KsrIndependent => "ksr_independent",
        Headline::KsrOwn => "ksr_own",
    }
}

/// A headline as tables name it.
pub fn measure_name(headline: Headline) -> &'static str {
    match headline {
        Headline::Ace => "ACE",
        Headline::KsrIndependent => "KSR independent",
        Headline::KsrOwn => "KSR own",
    }
}

/// Every measure of an agent by its key.
pub fn measures(row: &Row) -> [(&'static str, &Measure); 12] {
    let (independent, own) = (&row.independent.pooled, &row.own.pooled);
    [
        ("ace", &row.ace),
        ("ksr_independent", &independent.ksr),
        ("kcr_independent", &independent.kcr),
        ("kor_independent", &independent.kor),
        ("ksr_own", &own.ksr),
        ("kcr_own", &own.kcr),
        ("kor_own", &own.kor),
        ("efficiency_own", &own.efficiency),
        ("references", &row.references),
        ("output_tokens", &row.output_tokens),
        ("words", &row.words),
        ("cost_micro", &row.cost_micro),
    ]
}
