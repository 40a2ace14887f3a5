//! The benchmark's reading of articles: each rule, each fault, hostile shapes. All texts are made
//! up for these tests.

mod citations;
mod header;
mod hostile;
mod loss;
mod markdown;
mod text;
