//! Wiki Live Challenge (arXiv 2602.01590): articles that agents write, compared with Wikipedia's
//! good articles. Its texts are read as its own code reads them ([`compat`]), and articles that
//! cite or copy the page that they are compared with are found ([`leak`]).

pub mod compat;
pub mod leak;
