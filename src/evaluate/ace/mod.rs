//! Adaptive checklist evaluation (ACE): weighted criteria written for a task, and a rating of the
//! report by each.

pub mod criteria;
pub mod rating;
