//! How much models may be used: for one turn and for one day.

use serde::Deserialize;

/// The limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens of one turn, prompts and answers.
    pub tokens_per_turn: u64,
    /// Seconds that one turn may wait for models.
    pub seconds_per_turn: u64,
    /// Tokens of one day.
    pub tokens_per_day: u64,
    /// What one day may cost, in millionths.
    pub cost_per_day: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens_per_turn: 60_000,
            seconds_per_turn: 180,
            tokens_per_day: 2_000_000,
            cost_per_day: 1_000_000,
        }
    }
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens, prompts and answers.
    pub tokens: u64,
    /// Milliseconds.
    pub ms: u64,
    /// In millionths.
    pub cost: u64,
}

impl Budget {
    /// The key of the limit that is used up; `None` while there is room.
    pub fn used_up(&self, turn: Spent, day: Spent) -> Option<&'static str> {
        if turn.tokens >= self.tokens_per_turn {
            Some("tokens_per_turn")
        } else if turn.ms >= self.seconds_per_turn.saturating_mul(1000) {
            Some("seconds_per_turn")
        } else if day.tokens >= self.tokens_per_day {
            Some("tokens_per_day")
        } else if day.cost >= self.cost_per_day && self.cost_per_day > 0 {
            Some("cost_per_day")
        } else {
            None
        }
    }

    /// Milliseconds this turn may still wait.
    pub fn left_ms(&self, turn: Spent) -> u64 {
        self.seconds_per_turn.saturating_mul(1000).saturating_sub(turn.ms)
    }

    /// Tokens this turn and this day may still use.
    pub fn left_tokens(&self, turn: Spent, day: Spent) -> u64 {
        let (turn, day) = (
            self.tokens_per_turn.saturating_sub(turn.tokens),
            self.tokens_per_day.saturating_sub(day.tokens),
        );
        turn.min(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_alone_stops_and_is_named() {
        let budget = Budget { tokens_per_turn: 10, seconds_per_turn: 1, tokens_per_day: 20, cost_per_day: 5 };
        let none = Spent::default();
        assert_eq!(budget.used_up(none, none), None);
        let tokens = |tokens| Spent { tokens, ..none };
        assert_eq!(budget.used_up(tokens(10), none), Some("tokens_per_turn"));
        assert_eq!(budget.used_up(Spent { ms: 1000, ..none }, none), Some("seconds_per_turn"));
        assert_eq!(budget.used_up(none, tokens(20)), Some("tokens_per_day"));
        assert_eq!(budget.used_up(none, Spent { cost: 5, ..none }), Some("cost_per_day"));
        assert_eq!(budget.left_tokens(tokens(4), tokens(19)), 1);
    }
}
