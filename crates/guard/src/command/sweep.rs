//! Programs that empty or delete what they are given, as a part of doing something else.

use super::shape::{Harm, Scene};
use super::table::Sweeper;
use super::words::{Arg, Sorted, is_option};

impl Scene<'_> {
    /// The harm when everything such a program is given would go.
    pub(super) fn emptied(&self, name: &str, sweeper: &Sweeper, args: &[Arg]) -> Option<Harm> {
        let mut scene = self.clone();
        let args = scene.moved_in(sweeper, args);
        let sorted = Sorted::new(&args);
        if !sweeper.options.is_empty() && !sweeper.options.iter().any(|option| sorted.has(option)) {
            return None;
        }
        let begins = match sweeper.words.is_empty() {
            true => 0,
            false => sorted.operands.iter().position(|arg| sweeper.words.contains(&arg.text))? + 1,
        };
        let given = sorted.operands.get(begins..).unwrap_or_default();
        let unread = sweeper.elsewhere.iter().any(|option| sorted.has(option));
        if unread || args.iter().any(|arg| arg.opaque) {
            return Some(Harm::unreadable(format!(
                "what `{name}` would {} is only known then",
                sweeper.verb
            )));
        }
        let here = Arg::new(".");
        let here = std::iter::once(&here).filter(|_| sweeper.here && given.is_empty());
        given
            .iter()
            .copied()
            .chain(here)
            .find_map(|arg| scene.swept(&arg.text, &sweeper.verb, "recursive-delete"))
    }

    /// Goes where the options of the program say; gives the words without those.
    fn moved_in(&mut self, sweeper: &Sweeper, args: &[Arg]) -> Vec<Arg> {
        let mut left = Vec::new();
        let mut words = args.iter();
        while let Some(arg) = words.next() {
            let text = arg.text.as_str();
            let named = sweeper.chdir.iter().find(|option| match option.starts_with("--") {
                true => text.starts_with("--") && is_option(text, option),
                false => !text.starts_with("--") && text.starts_with(option.as_str()),
            });
            let Some(option) = named else {
                left.push(arg.clone());
                continue;
            };
            let attached = match option.starts_with("--") {
                true => text.split_once('=').map(|(_, folder)| folder.to_owned()),
                false => {
                    text.strip_prefix(option.as_str()).filter(|folder| !folder.is_empty()).map(str::to_owned)
                }
            };
            match attached.or_else(|| words.next().filter(|next| !next.opaque).map(|next| next.text.clone()))
            {
                Some(folder) => self.start_in(&folder),
                None => left.push(Arg::unknown()),
            }
        }
        left
    }
}
