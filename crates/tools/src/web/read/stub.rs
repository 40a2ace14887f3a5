//! Stubs: pages without their content.

/// The kind of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stub {
    /// The server refuses programs, or this reader, or everybody for now.
    Blocked,
    /// It does not exist, whatever the status says.
    NotFound,
    /// It wants a login or money.
    Wall,
    /// It wants consent first.
    Consent,
    /// Only scripts would fill it.
    Shell,
}

impl Stub {
    /// One word for the summary by cause.
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::NotFound => "not_found",
            Self::Wall => "wall",
            Self::Consent => "consent",
            Self::Shell => "shell",
        }
    }
}
