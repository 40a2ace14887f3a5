//! Files of Wiki Live Challenge: round trips, layouts, figures from verdicts, findings, hostile
//! files.

mod citation;
mod doctor;
mod files;
mod hostile;
mod json;
mod layout;
mod samples;
mod swap;
mod table;
mod verifiability;
mod writing;
