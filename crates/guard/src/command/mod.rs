//! Commands: one program without a shell, judged before it runs.
//!
//! [`Argv`] is what would run; [`shape`] finds what nobody gets back from; [`Lists`] say which kinds of
//! command ([`Signature`]) run, ask or do not. All of it is reading: what the machine says about a word (which
//! program it runs, where a path leads) comes from whoever asks, as a [`Sight`].

mod argv;
mod ended;
mod error;
mod find;
mod harm;
mod lex;
mod lists;
mod place;
mod script;
mod shape;
mod sight;
mod signature;
mod sweep;
mod table;
mod words;
mod wrapper;

#[cfg(test)]
mod tests;

pub use argv::Argv;
pub use error::{CommandError, Construct};
pub use lists::{Lists, ListsError, Pattern, Standing};
pub use shape::{Harm, shape, shape_seen};
pub use sight::{Lead, Sight, Unseen};
pub use signature::Signature;
pub use table::Kind;

use signature::Reading;

/// What becomes of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandVerdict {
    /// Where it stands.
    pub standing: Standing,
    /// What kind of act it is.
    pub signature: Signature,
    /// Why it is refused whatever the lists say.
    pub harm: Option<Harm>,
    /// The verdict in one sentence, for the person.
    pub text: String,
}

/// Judges a command: harm first, then the lists. What is not understood is never allowed.
pub fn judge_command(argv: &Argv, lists: &Lists) -> CommandVerdict {
    judge_command_seen(argv, lists, &Unseen)
}

/// The same, with what the machine says about its words.
pub fn judge_command_seen(argv: &Argv, lists: &Lists, sight: &dyn Sight) -> CommandVerdict {
    let harm = shape_seen(argv, sight);
    let Reading { signature, elevations, sets_variables } = Reading::of(argv);
    let mut standing = match harm {
        Some(_) => Standing::Forbidden,
        None => lists.classify(&signature),
    };
    for elevation in &elevations {
        standing = standing.stricter(lists.classify(elevation));
    }
    if sets_variables {
        standing = standing.stricter(Standing::Grey);
    }
    let text = match (&harm, standing) {
        (Some(harm), _) => format!("Refused: it {}.", harm.why),
        (None, Standing::Forbidden) => format!("Refused: commands like {signature} are never run."),
        (None, Standing::Deny) => {
            format!("Refused: {signature} is on the list of commands not to run, which you can edit.")
        }
        (None, Standing::Grey) => {
            format!("This can change things, so it needs your yes first ({signature}).")
        }
        (None, Standing::Allow) => format!("This is on the list of commands that may run ({signature})."),
        (None, Standing::Unknown) => {
            format!("This is on no list of commands, so it needs your yes first ({signature}).")
        }
    };
    CommandVerdict { standing, signature, harm, text }
}
