//! Known licences by the names that people write. Others stay as they are written.

/// A licence that registers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its identifier on the Hugging Face hub.
    pub hub: &'static str,
    /// Its identifier in the SPDX list.
    pub spdx: &'static str,
}

/// Identifiers on the hub and in the SPDX list.
const KNOWN: [(&str, &str); 30] = [
    ("apache-2.0", "Apache-2.0"),
    ("bsd-2-clause", "BSD-2-Clause"),
    ("bsd-3-clause", "BSD-3-Clause"),
    ("cc-by-2.0", "CC-BY-2.0"),
    ("cc-by-2.5", "CC-BY-2.5"),
    ("cc-by-3.0", "CC-BY-3.0"),
    ("cc-by-4.0", "CC-BY-4.0"),
    ("cc-by-nc-2.0", "CC-BY-NC-2.0"),
    ("cc-by-nc-3.0", "CC-BY-NC-3.0"),
    ("cc-by-nc-4.0", "CC-BY-NC-4.0"),
    ("cc-by-nc-nd-3.0", "CC-BY-NC-ND-3.0"),
    ("cc-by-nc-nd-4.0", "CC-BY-NC-ND-4.0"),
    ("cc-by-nc-sa-2.0", "CC-BY-NC-SA-2.0"),
    ("cc-by-nc-sa-3.0", "CC-BY-NC-SA-3.0"),
    ("cc-by-nc-sa-4.0", "CC-BY-NC-SA-4.0"),
    ("cc-by-nd-4.0", "CC-BY-ND-4.0"),
    ("cc-by-sa-3.0", "CC-BY-SA-3.0"),
    ("cc-by-sa-4.0", "CC-BY-SA-4.0"),
    ("cc0-1.0", "CC0-1.0"),
    ("cdla-permissive-1.0", "CDLA-Permissive-1.0"),
    ("cdla-permissive-2.0", "CDLA-Permissive-2.0"),
    ("cdla-sharing-1.0", "CDLA-Sharing-1.0"),
    ("etalab-2.0", "etalab-2.0"),
    ("isc", "ISC"),
    ("mit", "MIT"),
    ("mpl-2.0", "MPL-2.0"),
    ("odbl", "ODbL-1.0"),
    ("odc-by", "ODC-By-1.0"),
    ("pddl", "PDDL-1.0"),
    ("unlicense", "Unlicense"),
];

/// The licence that is meant by a name such as `CC BY 4.0`.
pub(super) fn known(name: &str) -> Option<Known> {
    let name = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    // Nobody wrote a version of public domain but the first.
    let name = if name == "cc0" { "cc0-1.0" } else { &name };
    KNOWN
        .into_iter()
        .find(|(hub, spdx)| name == *hub || name.eq_ignore_ascii_case(spdx))
        .map(|(hub, spdx)| Known { hub, spdx })
}

impl Known {
    /// Its page in the SPDX list.
    pub fn address(self) -> String {
        format!("https://spdx.org/licenses/{}", self.spdx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_has_several_spellings() {
        for name in ["CC-BY-4.0", "CC BY 4.0", " cc_by_4.0 "] {
            assert_eq!(known(name).map(|known| known.hub), Some("cc-by-4.0"));
        }
        assert_eq!(known("ODbL-1.0").map(|known| known.hub), Some("odbl"));
        assert_eq!(known("CC0").map(|known| known.spdx), Some("CC0-1.0"));
        for name in ["", "unknown", "CC-BY", "CC-BY-4.0: but ask", "cc-by-4.0\0"] {
            assert_eq!(known(name), None, "{name}");
        }
    }
}
