//! Medians and other percentiles.

/// The value below which `percent` of `samples` lie; 50 gives the median.
pub(crate) fn percentile(samples: &[f64], percent: usize) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// The smallest: what the program takes when nothing else disturbs it.
pub(crate) fn best(samples: &[f64]) -> f64 {
    percentile(samples, 0)
}

/// The median.
pub(crate) fn median(samples: &[f64]) -> f64 {
    percentile(samples, 50)
}
