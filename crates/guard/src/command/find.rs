//! `find`: a walk that may delete, or run a command on all it finds.

use super::place::Place;
use super::shape::{Harm, Scene};
use super::words::Arg;

impl Scene<'_> {
    /// The harm in a walk.
    pub(super) fn found(&self, args: &[Arg]) -> Option<Harm> {
        let is_start = |arg: &&Arg| !arg.text.starts_with(['-', '(', '!', ')', ',']);
        let leading =
            |arg: &&Arg| ["-H", "-L", "-P"].contains(&arg.text.as_str()) || arg.text.starts_with("-O");
        let from = args.iter().take_while(leading).count();
        let mut starts: Vec<String> =
            args.iter().skip(from).take_while(is_start).map(|arg| arg.text.clone()).collect();
        if starts.is_empty() {
            starts.push(".".into());
        }
        if args.iter().any(|arg| arg.text.starts_with("-files0-from")) {
            return Some(Harm::unreadable("where it would look is only known then"));
        }
        if self.is_narrow(args) {
            // What a walk with a clear name finds in a home is not the home.
            for start in &mut starts {
                if self.place(start, &[Place::Home]).is_some() {
                    start.push_str("/found");
                }
            }
        }
        let deletes = args.iter().any(|arg| arg.text == "-delete");
        let by_delete = starts.iter().filter(|_| deletes);
        by_delete
            .into_iter()
            .find_map(|start| self.swept(start, "delete", "recursive-delete"))
            .or_else(|| self.executed(args, &starts))
    }

    fn executed(&self, args: &[Arg], starts: &[String]) -> Option<Harm> {
        let mut scene = self.clone();
        scene.sweep = true;
        let commands = args.iter().enumerate().filter(|(_, arg)| runs(arg));
        commands.into_iter().find_map(|(at, _)| {
            let rest = args.get(at + 1..)?;
            let end = rest.iter().position(|arg| arg.text == ";" || arg.text == "+").unwrap_or(rest.len());
            let command = rest.get(..end)?;
            starts.iter().find_map(|start| {
                let filled: Vec<Arg> = command
                    .iter()
                    .map(|arg| Arg { text: arg.text.replace("{}", start), opaque: arg.opaque })
                    .collect();
                scene.command(&filled)
            })
        })
    }

    /// Whether the walk only takes what carries a clear name. A test after the act comes too late.
    fn is_narrow(&self, args: &[Arg]) -> bool {
        let acts = |arg: &Arg| arg.text == "-delete" || runs(arg);
        let args = args.get(..args.iter().position(acts).unwrap_or(args.len())).unwrap_or_default();
        let loose = |arg: &Arg| ["-o", "-or", "!", "-not", ",", "("].contains(&arg.text.as_str());
        if args.iter().any(loose) {
            return false;
        }
        let clear = |value: &Arg| {
            let letters = value.text.chars().filter(|c| c.is_alphanumeric()).count();
            letters >= self.table.essentials.name_letters && !value.text.contains('[')
        };
        args.iter().zip(args.iter().skip(1)).any(|(test, value)| match test.text.as_str() {
            "-name" | "-iname" => clear(value),
            _ => false,
        }) || args.iter().any(|arg| arg.text == "-empty")
    }
}

fn runs(arg: &Arg) -> bool {
    ["-exec", "-execdir", "-ok", "-okdir"].contains(&arg.text.as_str())
}
