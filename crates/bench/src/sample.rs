//! Repeated measurements and what is said of them.

use std::time::{Duration, Instant};

/// Durations of one thing, measured many times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    /// Adds one measurement.
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// The duration below which `percent` of the measurements lie.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        sorted.get((sorted.len() * percent / 100).min(last)).copied().unwrap_or_default()
    }

    /// The middle one.
    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The shortest one: what is possible when the machine is left alone.
    pub(crate) fn min(&self) -> Duration {
        self.percentile(0)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// How long `work` took, and what it gave.
pub(crate) fn timed<T>(work: impl FnOnce() -> crate::Result<T>) -> crate::Result<(Duration, T)> {
    let started = Instant::now();
    let value = work()?;
    Ok((started.elapsed(), value))
}

/// Measures two things in turn, `times` each, so that a busy moment strikes both.
pub(crate) fn alternate(
    times: usize,
    mut ours: impl FnMut() -> crate::Result<Duration>,
    mut theirs: impl FnMut() -> crate::Result<Duration>,
) -> crate::Result<(Sample, Sample)> {
    let (mut a, mut b) = (Sample::default(), Sample::default());
    for _ in 0..times {
        a.push(ours()?);
        b.push(theirs()?);
    }
    Ok((a, b))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn percentiles_come_from_the_sorted_measurements() {
        let mut sample = Sample::default();
        assert_eq!(sample.median(), Duration::ZERO);
        for ms in [9, 1, 5, 3, 7] {
            sample.push(Duration::from_millis(ms));
        }
        assert_eq!(sample.min(), Duration::from_millis(1));
        assert_eq!(sample.median(), Duration::from_millis(5));
        assert_eq!(sample.percentile(95), Duration::from_millis(9));
    }
}
