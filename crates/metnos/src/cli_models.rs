//! The words about models.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Look for a server of models on this machine, try a model, show what it adds, and bind it.
    Setup {
        /// Look at this server instead of the usual ports of this machine.
        #[arg(long, value_name = "URL", conflicts_with = "port")]
        url: Option<String>,
        /// Look at this port of this machine instead of the usual ones; may be said several times.
        #[arg(long, value_name = "PORT")]
        port: Vec<u16>,
        /// Which model, by its name.
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// What it is to be asked: wise for whole plans, fast for plainer words, middle to judge, frontier for your own questions.
        #[arg(long, value_name = "ROLE", default_value = "wise", value_parser = ["fast", "middle", "wise", "frontier"])]
        role: String,
        /// The name of its key in the vault (`metnos credentials set NAME`).
        #[arg(long, value_name = "NAME")]
        credential: Option<String>,
        /// Write it without a question.
        #[arg(long)]
        yes: bool,
    },
}
