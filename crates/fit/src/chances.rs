//! Whether readings are right as often as they are said to be.

use std::fmt;

/// For each tenth of how likely a reading was said to be: how many were, how likely together, and how many were right.
#[derive(Default)]
pub(crate) struct Chances([(usize, f64, usize); 10]);

impl Chances {
    pub(crate) fn say(&mut self, chance: f32, right: bool) {
        let (count, sum, rights) = &mut self.0[((chance * 10.0) as usize).min(9)];
        *count += 1;
        *sum += f64::from(chance);
        *rights += usize::from(right);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            own.0 += more.0;
            own.1 += more.1;
            own.2 += more.2;
        }
    }
}

impl fmt::Display for Chances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (count, sum, rights)) in self.0.iter().enumerate().filter(|(_, (count, ..))| *count > 0) {
            let of = *count as f64;
            writeln!(
                f,
                "    likely {:.1} to {:.1}: {count}, said {:.3}, right {:.3}",
                n as f64 / 10.0,
                (n + 1) as f64 / 10.0,
                sum / of,
                *rights as f64 / of
            )?;
        }
        Ok(())
    }
}
