//! Commands that list inspirations and take in what people say of them.

pub mod list;
pub mod review;
