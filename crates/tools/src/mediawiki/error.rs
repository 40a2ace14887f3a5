//! Errors of the API, each with what the user can do.

use crate::http::Again;

/// Refusals that concern the page that was asked for and no other.
const OF_A_PAGE: &[&str] = &[
    "missingcontent-revid",
    "missingtitle",
    "nosuchpageid",
    "nosuchrevid",
    "pagecannotexist",
    "permissiondenied",
];

/// Why the API gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// The base address is none.
    #[error(
        "`{0}` is no address of an API\nhint: --api takes the address of api.php, such as https://en.wikipedia.org/w/api.php"
    )]
    Address(String),
    /// Nobody could be asked about our requests.
    #[error(
        "`{0}` is no contact: an address of mail or of a page is needed\nhint: wikis ask for one in each request, so that its sender can be reached before being blocked"
    )]
    Contact(String),
    /// The days of a window are in no order.
    #[error("{0}\nhint: --since is before --until, and --until is not after the day of freezing")]
    Window(String),
    /// `--offline` forbids it.
    #[error(
        "--offline forbids a connection to `{0}`\nhint: leave out --offline, or use a wiki on this machine"
    )]
    Offline(String),
    /// No connection, one that broke, or a body that cannot be unpacked.
    #[error("{0}\nhint: run the same command again: it goes on where it stopped")]
    Connection(String),
    /// The server points elsewhere.
    #[error(
        "the API answered {status}, which leads to `{to}`\nhint: nothing but the given address is asked; give the other one as --api if it is the right wiki"
    )]
    Redirect {
        /// The status.
        status: u16,
        /// Where it leads.
        to: String,
    },
    /// The server refuses without saying why.
    #[error("the API answered {status}\nhint: is the address that of api.php?")]
    Status {
        /// The status.
        status: u16,
    },
    /// The wiki has no time, or wants fewer requests.
    #[error(
        "the wiki is busy: {what}\nhint: run the same command later: it goes on where it stopped; a longer --pause-ms asks less often"
    )]
    Busy {
        /// What it says.
        what: String,
    },
    /// The reply is larger than the limit.
    #[error("a reply of more than {limit} bytes\nhint: is the address that of api.php?")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The reply is no JSON object.
    #[error("the API's reply is not JSON: `{start}`\nhint: is the address that of api.php?")]
    NotJson {
        /// How it begins.
        start: String,
    },
    /// The API refuses by its own rules.
    #[error("the API refuses: {code}: {info}\nhint: its help is at the address itself")]
    Refused {
        /// The code of the error.
        code: String,
        /// What it says.
        info: String,
    },
    /// A list without an end.
    #[error("the API continues its list for ever: {0}\nhint: this is a fault of the server")]
    Endless(String),
    /// The reply lacks what was asked for.
    #[error("the API's reply has no {0}\nhint: is the wiki's MediaWiki 1.32 or later?")]
    Shape(&'static str),
}

impl ApiError {
    /// One word for counting.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Contact(_) => "contact",
            Self::Window(_) => "window",
            Self::Offline(_) => "offline",
            Self::Connection(_) => "connection",
            Self::Redirect { .. } => "redirect",
            Self::Status { .. } => "status",
            Self::Busy { .. } => "busy",
            Self::TooLarge { .. } => "too_large",
            Self::NotJson { .. } => "not_json",
            Self::Refused { .. } => "refused",
            Self::Endless(_) => "endless",
            Self::Shape(_) => "shape",
        }
    }

    /// Whether the fault lies with the page that was asked for: others may still be had, and this
    /// one will be no better the next time.
    pub fn is_of_page(&self) -> bool {
        match self {
            Self::TooLarge { .. } => true,
            Self::Refused { code, .. } => OF_A_PAGE.contains(&code.as_str()),
            _ => false,
        }
    }

    /// Whether the fault may lie with the page that was asked for, though another time may mend it.
    pub fn may_be_of_page(&self) -> bool {
        matches!(self, Self::Shape(_) | Self::Refused { .. })
    }
}

/// A failed request, and whether it may be sent again.
pub(super) struct Failed {
    pub error: ApiError,
    pub again: Again,
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self {
            error,
            again: Again::Never,
        }
    }
}

/// A stranger's text, shortened and safe for a terminal.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 120;
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(MOST).collect::<String>().trim().to_owned()
}
