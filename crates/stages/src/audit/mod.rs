//! Audits of the scores: whether models know the tasks by heart, how far judges agree with people
//! and with each other, what they prefer that they should not, and whether they change. Hides the
//! controls without which the answers would mean nothing, and the forms in which people's scores
//! come.

pub mod agreement;
pub mod bias;
pub mod drift;
pub mod effects;
pub mod families;
pub mod judges;
pub mod leakage;
pub mod people;
