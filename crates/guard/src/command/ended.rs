//! Programs that end processes.

use super::shape::{Harm, Scene};
use super::table::named;
use super::words::{Arg, Sorted};

impl Scene<'_> {
    /// The harm in ending processes by their numbers.
    pub(super) fn killed(&self, args: &[Arg]) -> Option<Harm> {
        // The first word with a dash is the signal, whatever it reads.
        let signal = match args.first().map(|arg| arg.text.as_str()) {
            Some("-s" | "-n" | "--signal" | "-q" | "--queue") => 2,
            Some(first) if first.starts_with('-') && first != "--" => 1,
            _ => 0,
        };
        let first =
            || Harm::new("kill-init", "would signal the first process, which everything else depends on");
        args.iter().skip(signal).find_map(|target| match number(&target.text) {
            Some(-1) => Some(Harm::new("kill-all", "would stop every program that can be stopped")),
            Some(1) => Some(first()),
            _ if named(&self.table.essentials.processes, &target.text) => Some(first()),
            _ => None,
        })
    }

    /// The harm in ending processes by their names.
    pub(super) fn killed_by_name(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        let of_user = |o: &&str| {
            (o.starts_with("-u") || o.starts_with("-U") || o.starts_with("--e")) && !o.starts_with("-USR")
        };
        let everything = |arg: &&Arg| !arg.text.is_empty() && arg.text.chars().all(|c| ".*^$?+".contains(c));
        let first = |arg: &&Arg| {
            let name = arg.text.trim_matches(['^', '$']);
            named(&self.table.essentials.processes, name)
        };
        let all = sorted.operands.iter().any(everything)
            || (sorted.options().iter().any(of_user) && sorted.operands.len() < 2);
        if all {
            return Some(Harm::new("kill-all", "would stop every program of somebody"));
        }
        sorted.operands.iter().any(first).then(|| {
            Harm::new("kill-init", "would signal the first process, which everything else depends on")
        })
    }
}

/// A number as the programs that take process numbers read it.
fn number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.trim().strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.trim().trim_start_matches('+')),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse::<i64>(),
    };
    value.ok().map(|value| sign * value)
}
