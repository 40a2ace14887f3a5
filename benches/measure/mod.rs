//! What every bench says of itself: the middle of several measurements, and the most memory.

use anyhow::{Context as _, Result};

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The most memory that this process ever had, in megabytes (Linux).
pub fn peak_memory() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("the kernel does not say")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? / 1000)
}
