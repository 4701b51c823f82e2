//! The words of what waits for a person: a yes, a missing word, a credential.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Questions {
    /// Questions that wait for a yes; one of them with its details.
    Approvals {
        /// Which one: its card and what is behind it.
        #[arg(conflicts_with = "all")]
        id: Option<String>,
        /// Also those that were answered or are too old.
        #[arg(long)]
        all: bool,
    },
    /// Say yes to a question; what waited for it runs now.
    Approve {
        /// Which question.
        id: String,
        /// Do not ask again here in the session that asked.
        #[arg(long, conflicts_with = "always")]
        session: bool,
        /// Do not ask again here, until revoked.
        #[arg(long)]
        always: bool,
        /// Answer as another person: only the host and who asked may answer.
        #[arg(long = "as", value_name = "NAME")]
        by: Option<String>,
    },
    /// Say no to a question.
    Reject {
        /// Which question.
        id: String,
        /// And never do this here again, until revoked.
        #[arg(long)]
        never: bool,
        /// Answer as another person.
        #[arg(long = "as", value_name = "NAME")]
        by: Option<String>,
    },
    /// Requests that lack something: a word, answered by `metnos answer`, or a credential.
    Forms {
        /// Those of another person.
        #[arg(long = "as", value_name = "NAME")]
        by: Option<String>,
    },
    /// Answer what a request asked for; it goes on where it stopped, and what was done is not done again.
    Answer {
        /// Which request; `metnos forms` lists them.
        id: String,
        /// The answer; none where a credential was lacking and is kept now.
        words: Vec<String>,
        /// Answer as another person: only the host and who asked may answer.
        #[arg(long = "as", value_name = "NAME")]
        by: Option<String>,
    },
}
