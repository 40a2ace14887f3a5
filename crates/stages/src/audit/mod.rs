//! Audits of the scores: whether models know the tasks by heart, and how far judges agree with
//! people and with each other. Hides the controls without which the answers would mean nothing, and
//! the forms in which people's scores come.

pub mod agreement;
pub mod effects;
pub mod judges;
pub mod leakage;
pub mod people;
