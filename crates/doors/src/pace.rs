//! How fast one person may ask, over all doors together: turns and bytes of requests in any minute. The terminal of the
//! machine itself is not counted: whoever sits there can as well change what is allowed.

use crate::house::House;
use crate::who::Who;
use metnos_executor::Failure;
use metnos_executor::lab::{self, Layer};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// The channel of the machine's own terminal.
const TERMINAL: &str = "cli";

/// What everybody did in the last minute.
#[derive(Default)]
pub(crate) struct Pace(Mutex<HashMap<String, Lately>>);

/// What one person did in the last minute.
#[derive(Default)]
struct Lately {
    turns: Window,
    bytes: Window,
}

/// Amounts with their moments, the oldest first.
#[derive(Default)]
struct Window(VecDeque<(Instant, u64)>);

impl Window {
    /// Counts `amount` if there is room for it among `most` in a minute; else how long until there is. What alone is
    /// more than that has room when nothing else is there.
    fn take(&mut self, amount: u64, most: u64, now: Instant) -> Result<(), Duration> {
        self.0.retain(|(at, _)| now.duration_since(*at) < MINUTE);
        let mut used: u64 = self.0.iter().map(|(_, amount)| amount).sum();
        if used + amount <= most {
            self.0.push_back((now, amount));
            return Ok(());
        }
        for (at, gone) in &self.0 {
            used -= gone;
            if used + amount <= most {
                return Err(MINUTE.saturating_sub(now.duration_since(*at)));
            }
        }
        Err(MINUTE)
    }
}

impl House {
    /// Counts a turn that this person begins, or says when there is room for one.
    pub(crate) fn begins_turn(&self, who: &Who) -> Result<(), Failure> {
        let most = self.runtime().config.limits.turns_per_minute;
        self.paced(who, "turns_per_minute", most.to_string(), |lately, now| lately.turns.take(1, most, now))
    }

    /// Counts bytes that this person sends, or says when there is room for them.
    pub(crate) fn sends(&self, who: &Who, bytes: usize) -> Result<(), Failure> {
        let mb = self.runtime().config.limits.request_mb_per_minute;
        let most = mb.saturating_mul(1_000_000);
        self.paced(who, "request_mb_per_minute", mb.to_string(), |lately, now| {
            lately.bytes.take(bytes as u64, most, now)
        })
    }

    fn paced(
        &self,
        who: &Who,
        limit: &str,
        most: String,
        take: impl FnOnce(&mut Lately, Instant) -> Result<(), Duration>,
    ) -> Result<(), Failure> {
        if who.channel == TERMINAL || lab::without(Layer::Pace) {
            return Ok(());
        }
        let mut all = self.pace.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = all.entry(who.person.id.clone()).or_default();
        take(lately, Instant::now()).map_err(|wait| {
            let seconds = u16::try_from(wait.as_secs() + 1).unwrap_or(u16::MAX);
            let lang = self.runtime().language(&who.caller());
            let values = [("most", most.as_str()), ("seconds", &seconds.to_string())];
            let hint = self.runtime().say(&lang, "slower", &[]);
            let failure = Failure::limit(limit, self.runtime().say(&lang, limit, &values)).with_hint(hint);
            Failure { retry_after: Some(seconds), ..failure }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_moment_it_names_there_is_room() {
        let (mut window, begin) = (Window::default(), Instant::now());
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert!(window.take(2, 3, at(0)).is_ok() && window.take(1, 3, at(10)).is_ok());
        assert_eq!(window.take(1, 3, at(20)), Err(Duration::from_secs(40)));
        assert_eq!(window.take(3, 3, at(20)), Err(Duration::from_secs(50)));
        assert!(window.take(1, 3, at(60)).is_ok());
        assert_eq!(window.take(4, 3, at(600)), Err(MINUTE), "never, and not asked again at once");
    }
}
