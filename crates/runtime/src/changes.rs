//! What the journal knows of one act, for a person.

use metnos_undo::{Act, State};

/// Whether it belongs to a birth test, which is nobody's to undo.
fn is_trial(act: &Act) -> bool {
    act.head.as_ref().is_some_and(|head| head.user == crate::birth::CALLER)
}

/// Whether there is something to tell of it: one that is just beginning has not even said whose it is.
pub(crate) fn is_told(act: &Act) -> bool {
    let beginning = act.head.is_none() && act.state == State::Open;
    !beginning && !is_trial(act)
}

/// What the journal knows of one act, for a person.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its id.
    pub id: String,
    /// When it happened.
    pub at: Option<jiff::Timestamp>,
    /// Who asked for it.
    pub user: String,
    /// What did it.
    pub executor: String,
    /// `done`, `undone`, `partly_undone`, `rolled_back`, `undoing`, `open`, `freed`, `permanent`, `damaged`.
    pub state: &'static str,
    /// Operations that happened.
    pub operations: u64,
    /// Bytes that are kept for it.
    pub kept_bytes: u64,
    /// When what it kept was let go of: it cannot be undone any more.
    pub freed: Option<jiff::Timestamp>,
    /// What is wrong with its records.
    pub damage: Option<String>,
}

/// The act as it is told.
pub(crate) fn turn(act: &Act) -> Turn {
    let (state, damage) = match &act.state {
        State::Open => ("open", None),
        State::Done => ("done", None),
        State::RolledBack => ("rolled_back", None),
        State::Undoing => ("undoing", None),
        State::Undone => ("undone", None),
        State::Partly => ("partly_undone", None),
        State::Freed(_) if act.closed.as_ref().is_some_and(|end| end.rolled_back) => ("rolled_back", None),
        State::Freed(_) if is_back(act) => ("undone", None),
        State::Freed(_) if is_permanent(act) => ("permanent", None),
        State::Freed(_) => ("freed", None),
        State::Damaged(why) => ("damaged", Some(why.clone())),
    };
    let closed = act.closed.as_ref();
    Turn {
        id: act.call_id.clone(),
        at: act.head.as_ref().map(|head| head.at),
        user: act.head.as_ref().map_or_else(String::new, |head| head.user.clone()),
        executor: act.head.as_ref().map_or_else(String::new, |head| head.executor.clone()),
        state,
        operations: closed.map_or(0, |closed| closed.performed),
        kept_bytes: closed.map_or(0, |closed| closed.kept_bytes),
        freed: match act.state {
            State::Freed(at) => Some(at),
            _ => None,
        },
        damage,
    }
}

/// True when nothing of it was ever to be kept.
pub(crate) fn is_permanent(act: &Act) -> bool {
    act.head.as_ref().is_some_and(|head| head.permanent)
}

/// True when nothing of it was left to take back before it was let go of.
pub(crate) fn is_back(act: &Act) -> bool {
    act.undone.as_ref().is_some_and(|undone| undone.conflicts.is_empty())
        || act.closed.as_ref().is_some_and(|closed| closed.rolled_back)
}
