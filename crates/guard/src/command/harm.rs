//! Programs that destroy, and the words that make them do so.

use super::place::{Place, Spot, local};
use super::shape::{Harm, Scene};
use super::sight::Lead;
use super::table::{Destroyer, Target, fits, named};
use super::words::{Arg, Sorted};
use metnos_executor::lab::{self, Layer};

impl Scene<'_> {
    /// The harm a program would do with these arguments.
    pub(super) fn program(&self, name: &str, args: &[Arg]) -> Option<Harm> {
        let families = &self.table.families;
        let is = |family: &[String]| named(family, name);
        let known = [
            &families.delete,
            &families.mode,
            &families.owner,
            &families.moves,
            &families.find,
            &families.mirror,
            &families.kill,
            &families.kill_by_name,
            &families.service,
        ];
        let destroys = self.table.destroyers(name).next().is_some();
        let writes = self.table.writers(name).next().is_some();
        if (destroys || writes || known.iter().any(|family| is(family))) && args.iter().any(|a| a.opaque) {
            return Some(Harm::unreadable(format!("what `{name}` would work on is only known then")));
        }
        if let Some(harm) = self.table.destroyers(name).find_map(|d| self.destroyed(d, args)) {
            return Some(harm);
        }
        if let Some(harm) = self.table.writers(name).find_map(|w| self.overwritten(w.target, args)) {
            return Some(harm);
        }
        let swept = self.table.sweepers(name).find_map(|sweeper| self.emptied(name, sweeper, args));
        if swept.is_some() && !lab::without(Layer::Sweepers) {
            return swept;
        }
        match () {
            () if is(&families.delete) => self.deleted(args),
            () if is(&families.mode) => self.opened(args),
            () if is(&families.owner) => self.owned(args),
            () if is(&families.moves) => self.moved(args),
            () if is(&families.find) => self.found(args),
            () if is(&families.mirror) => self.mirrored(args),
            () if is(&families.kill) => self.killed(args),
            () if is(&families.kill_by_name) => self.killed_by_name(args),
            () if is(&families.service) => self.disabled(args),
            () => None,
        }
    }

    /// A file that is written; a disk or a vital file must not be.
    pub(super) fn written(&self, target: &Arg) -> Option<Harm> {
        if target.opaque {
            return Some(Harm::unreadable("where it would write is only known then"));
        }
        let path = target.text.as_str();
        let places = &self.table.places;
        self.spots(path).find_map(|spot| match () {
            () if spot.is_vital(places) => {
                Some(Harm::new("vital-write", format!("would overwrite {path}, which the machine needs")))
            }
            () if spot.is_device(places) => {
                Some(Harm::new("device-write", format!("would write over the device {path}")))
            }
            () => None,
        })
    }

    /// The readings of `path`: as written, and where it leads.
    fn spots<'a>(&'a self, path: &'a str) -> impl Iterator<Item = Spot> + 'a {
        let written = self.folders.iter().map(move |from| Spot::new(path, from));
        written.chain(self.leads(path).map(|lead| Spot::new(&lead.path, "")))
    }

    fn leads<'a>(&'a self, path: &'a str) -> impl Iterator<Item = Lead> + 'a {
        let path = local(path);
        self.folders.iter().filter_map(move |from| self.sight.lead(&path, from))
    }

    /// The first place among the readings of `path` that `counts`.
    pub(super) fn place(&self, path: &str, counts: &[Place]) -> Option<Place> {
        let read = self.spots(path).map(|spot| spot.place(&self.table.places));
        let told = self.leads(path).flat_map(|lead| {
            let told =
                [(lead.home, Place::Home), (lead.territory, Place::Territory), (lead.core, Place::Core)];
            told.into_iter().filter(|(is, _)| *is).map(|(_, place)| place)
        });
        read.chain(told).find(|place| counts.contains(place))
    }

    fn destroyed(&self, destroyer: &'static Destroyer, args: &[Arg]) -> Option<Harm> {
        let harm = || Some(Harm::new(&destroyer.shape, destroyer.why.clone()));
        let sorted = Sorted::new(args);
        let by_option = destroyer.options.iter().any(|option| sorted.has(option));
        let by_word = sorted.operands.iter().any(|arg| destroyer.words.contains(&arg.text));
        if by_option || by_word {
            return harm();
        }
        if !destroyer.options.is_empty() || !destroyer.words.is_empty() {
            return None;
        }
        let allowed = |text: &str| destroyer.harmless.iter().any(|h| h == text);
        let asked = args.iter().any(|arg| allowed(&arg.text));
        let only = args.iter().all(|arg| allowed(&arg.text) || arg.text.starts_with("/dev/"));
        if asked && only { None } else { harm() }
    }

    fn overwritten(&self, target: Target, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        let attached = |text: &str| match text.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None => text.get(2..).filter(|_| text.starts_with('-')).unwrap_or_default().to_owned(),
        };
        let mut targets: Vec<String> = Vec::new();
        match target {
            Target::Last if sorted.has_any(&["-t", "--target-directory"]) => {
                targets.extend(sorted.operands.iter().map(|arg| arg.text.clone()));
                targets.extend(sorted.options().iter().map(|text| attached(text)));
            }
            Target::Last => targets.extend(sorted.operands.last().map(|arg| arg.text.clone())),
            Target::Any => {
                targets.extend(args.iter().flat_map(|arg| [arg.text.clone(), attached(&arg.text)]));
            }
            Target::Option => {
                let options = args.iter().filter(|arg| arg.text.starts_with('-'));
                targets.extend(options.map(|arg| attached(&arg.text)));
                let pairs = args.iter().zip(args.iter().skip(1));
                targets.extend(pairs.filter(|(o, _)| o.text.starts_with('-')).map(|(_, v)| v.text.clone()));
                // Only a disk counts: the word after an option may be one that is read.
                targets.retain(|t| self.spots(t).any(|spot| spot.is_device(&self.table.places)));
            }
            Target::Of => {
                targets.extend(args.iter().filter_map(|arg| arg.text.strip_prefix("of=").map(str::to_owned)));
            }
        }
        targets.iter().find_map(|target| self.written(&Arg::new(target)))
    }

    fn deleted(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        let recursive = self.sweep || sorted.has_any(&["-r", "-R", "--recursive"]);
        sorted.operands.iter().find_map(|arg| {
            let path = arg.text.as_str();
            let whole = if recursive { self.swept(path, "delete", "recursive-delete") } else { None };
            let vital = || self.spots(path).any(|spot| spot.is_vital(&self.table.places));
            whole.or_else(|| {
                vital().then(|| {
                    Harm::new("vital-delete", format!("would delete {path}, which the machine needs"))
                })
            })
        })
    }

    /// Harm when everything at `path` would go.
    pub(super) fn swept(&self, path: &str, verb: &str, shape: &'static str) -> Option<Harm> {
        use Place::{Above, Beside, Core, Home, Root, Shared, System, Territory};
        let counts = [Root, Home, System, Shared, Above, Beside, Territory, Core];
        let what = match self.place(path, &counts)? {
            Root => "everything on this machine".to_owned(),
            Home => format!("a whole home ({path})"),
            Territory => format!("everything that is open to Metnos in {path}"),
            Core => format!("{path}, which is core or holds what is"),
            Above | Beside => format!("{path}, and where that leads is not known; write the path in full"),
            _ => format!("a part of the system ({path})"),
        };
        Some(Harm::new(shape, format!("would {verb} {what}")))
    }

    fn opened(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        if !self.sweep && !sorted.has_any(&["-R", "--recursive"]) {
            return None;
        }
        // The mode is the first operand, or reads like an option (`-w`); as a path it means nothing.
        let modes = sorted.operands.first().map(|arg| arg.text.as_str());
        let extreme = modes.into_iter().chain(sorted.options().iter().copied()).any(is_extreme);
        let counts: &[Place] = match extreme {
            true => &[Place::Root, Place::System, Place::Above, Place::Home, Place::Shared],
            false => &[Place::Root, Place::System, Place::Above],
        };
        sorted.operands.iter().find(|arg| self.place(&arg.text, counts).is_some()).map(|arg| {
            Harm::new(
                "open-permissions",
                format!("would change the permissions of everything in {}", arg.text),
            )
        })
    }

    fn owned(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        if !self.sweep && !sorted.has_any(&["-R", "--recursive"]) {
            return None;
        }
        let counts = [Place::Root, Place::System, Place::Above];
        sorted.operands.iter().find(|arg| self.place(&arg.text, &counts).is_some()).map(|arg| {
            Harm::new("ownership", format!("would change the owner of everything in {}", arg.text))
        })
    }

    fn moved(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        let to_folder = sorted.has_any(&["-t", "--target-directory"]);
        let sources = if to_folder { sorted.operands.len() } else { sorted.operands.len().saturating_sub(1) };
        sorted.operands.iter().take(sources).find_map(|arg| {
            let path = arg.text.as_str();
            // Fetching something from the folder next door is an everyday act.
            let beside = self.place(path, &[Place::Beside]).is_some() && self.folders.len() == 1;
            let vital = self.spots(path).any(|spot| spot.is_vital(&self.table.places));
            match () {
                () if vital => {
                    Some(Harm::new("move-away", format!("would move {path}, which the machine needs")))
                }
                () if beside => None,
                () => self.swept(path, "move away", "move-away"),
            }
        })
    }

    fn mirrored(&self, args: &[Arg]) -> Option<Harm> {
        let sorted = Sorted::new(args);
        let given = |start: &str| sorted.options().iter().any(|option| option.starts_with(start));
        let (target, sources) = sorted.operands.split_last()?;
        let mirrored = given("--del")
            .then(|| self.swept(&there(&target.text), "delete what it does not find in", "recursive-delete"));
        mirrored.flatten().or_else(|| {
            let moved = sources.iter().filter(|_| given("--rem"));
            moved
                .into_iter()
                .find_map(|source| self.swept(&there(&source.text), "move away", "recursive-delete"))
        })
    }

    fn disabled(&self, args: &[Arg]) -> Option<Harm> {
        let essentials = &self.table.essentials;
        let operands = Sorted::new(args).operands;
        if !operands.iter().any(|arg| essentials.verbs.contains(&arg.text)) {
            return None;
        }
        operands.iter().find_map(|arg| {
            let unit = arg.text.trim_end_matches(".service").trim_end_matches(".socket");
            let essential = |known: &String| fits(known, unit) || fits(known, &arg.text) || fits(unit, known);
            essentials.units.iter().any(essential).then(|| {
                Harm::new("essential-service", format!("would switch off {unit}, which the machine needs"))
            })
        })
    }
}

/// Whether a mode opens everything to everybody, or shuts everybody out.
fn is_extreme(mode: &str) -> bool {
    if mode.starts_with("--") {
        return false;
    }
    if !mode.is_empty() && mode.chars().all(|c| c.is_digit(8)) {
        let digits: Vec<u32> = mode.chars().rev().filter_map(|c| c.to_digit(8)).collect();
        let others = digits.first().copied().unwrap_or(0);
        let owner = digits.get(2).copied().unwrap_or(0);
        return others & 2 != 0 || owner == 0;
    }
    mode.split(',').any(|part| {
        let Some(at) = part.find(['+', '-', '=']) else { return false };
        let (who, what) = part.split_at(at);
        let everybody = who.is_empty() || who.contains(['a', 'o']);
        let owner = who.is_empty() || who.contains(['a', 'u']);
        match what.chars().next() {
            Some('-') => owner && what.contains(['r', 'w', 'x']),
            Some('=') if what.len() == 1 => owner,
            _ => everybody && what.contains('w'),
        }
    })
}

/// The path in an operand of a program that also reaches other machines. What they are told to lose is lost as well.
fn there(operand: &str) -> String {
    match operand.split_once(':') {
        Some((host, path)) if !host.contains('/') && !path.starts_with("//") => {
            match path.trim_start_matches(':') {
                "" => "~".to_owned(),
                path if path.starts_with(['/', '~']) => path.to_owned(),
                path => format!("~/{path}"),
            }
        }
        _ => operand.to_owned(),
    }
}
