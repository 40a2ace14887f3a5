//! The files of DR-Arena: made in its layout, since the published ones have no licence.

mod battles;
mod hostile;
mod made;
mod replays;
mod trees;
