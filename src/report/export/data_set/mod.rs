//! A set of tasks as a data set: Hugging Face's folder, Croissant's metadata, and an RO-Crate that
//! says what each task was made from. All three fit in one folder.

mod card;
mod columns;
mod crate_graph;
pub mod croissant;
pub mod hugging_face;
mod licences;
pub mod lineage;
mod parquet;
mod quoted;
mod readme;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub use card::Card;
