//! How measures are named in a terminal, and their numbers written.

use crate::evaluate::measure;

/// The name of a measure, and the factor of its printed values.
pub fn label_and_scale(key: &str) -> (&str, f64) {
    measure(key).map_or((key, 1.0), |measure| (measure.label, measure.unit.scale()))
}

/// `+value [+low, +high]`.
pub fn signed(value: f64, low: Option<f64>, high: Option<f64>, scale: f64) -> String {
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!(" [{:+.2}, {:+.2}]", low * scale, high * scale),
        _ => String::new(),
    };
    format!("{:+.2}{interval}", value * scale)
}
