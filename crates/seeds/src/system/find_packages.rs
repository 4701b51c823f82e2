//! `find_packages`: what the package database of this machine says, read record by record.
//!
//! A name that was asked for and is not in the database is answered as not installed: that is
//! what somebody who asks wants to know.

use crate::call::Call;
use crate::files::pattern::{Patterns, is_glob};
use metnos_executor::{ErrorClass, Failure, Origin};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};

/// The database of dpkg.
const STATUS: &str = "/var/lib/dpkg/status";
/// A longer line is no field we read.
const LINE_MAX: u64 = 64 * 1024;

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    pattern: String,
}

/// One record of the database.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Package {
    name: String,
    version: Option<String>,
    installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    architecture: Option<String>,
    description: Option<String>,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    if args.names.is_empty() && args.pattern.is_empty() {
        return Err(Failure::wrong_args("give `names` or a `pattern`"));
    }
    let file = File::open(STATUS).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Failure::new(ErrorClass::DependencyMissing, "this machine has no dpkg database")
                .with_hint("packages can be searched on Debian and systems made from it")
        }
        _ => Failure::io(STATUS, &error),
    })?;
    search(call, &mut BufReader::with_capacity(256 * 1024, file), &args)
}

fn search(call: &mut Call<'_>, source: &mut dyn BufRead, args: &Args) -> Result<(), Failure> {
    let mut wanted = Wanted::new(args)?;
    let mut records = 0u64;
    while let Some(package) = next(source).map_err(|e| Failure::io(STATUS, &e))? {
        records += 1;
        if records.is_multiple_of(1024) {
            call.progress(records, None, "packages")?;
        }
        if wanted.takes(&package.name) {
            call.emit(&package, Origin::Content)?;
        }
    }
    for name in wanted.missing() {
        call.emit(&Package { name, ..Package::default() }, Origin::Local)?;
    }
    call.outcome.ok_count = call.items();
    Ok(())
}

/// What was asked for, and which of the plain names have been seen.
struct Wanted {
    names: Vec<(String, bool)>,
    globs: Option<Patterns>,
    word: Option<String>,
}

impl Wanted {
    /// Names may be globs; a pattern that is none is looked for anywhere in the name.
    fn new(args: &Args) -> Result<Self, Failure> {
        let (mut globs, names): (Vec<String>, Vec<String>) = args
            .names
            .iter()
            .map(|n| n.trim().to_lowercase())
            .filter(|n| !n.is_empty())
            .partition(|n| is_glob(n));
        let pattern = args.pattern.trim().to_lowercase();
        let word = match is_glob(&pattern) {
            true => {
                globs.push(pattern);
                None
            }
            false => Some(pattern).filter(|p| !p.is_empty()),
        };
        let globs = if globs.is_empty() { None } else { Some(Patterns::new(&globs)?) };
        Ok(Self { names: names.into_iter().map(|n| (n, false)).collect(), globs, word })
    }

    fn takes(&mut self, name: &str) -> bool {
        let mut named = false;
        for (wanted, seen) in &mut self.names {
            if wanted == name {
                *seen = true;
                named = true;
            }
        }
        named
            || self.word.as_ref().is_some_and(|word| name.contains(word))
            || self.globs.as_mut().is_some_and(|globs| globs.matches(name.as_bytes(), b"", b""))
    }

    fn missing(self) -> Vec<String> {
        let mut missing: Vec<String> =
            self.names.into_iter().filter(|(_, seen)| !seen).map(|(n, _)| n).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }
}

/// The next record that has a name; `None` at the end.
fn next(source: &mut dyn BufRead) -> io::Result<Option<Package>> {
    let mut package = Package::default();
    let mut line = Vec::new();
    // A line that was cut short goes on in the next read, and is no new field.
    let mut cut = false;
    loop {
        line.clear();
        let read = io::Read::take(&mut *source, LINE_MAX).read_until(b'\n', &mut line)?;
        let goes_on = std::mem::replace(&mut cut, read > 0 && line.last() != Some(&b'\n'));
        if read == 0 || (line == b"\n" && !goes_on) {
            if !package.name.is_empty() {
                return Ok(Some(package));
            }
            if read == 0 {
                return Ok(None);
            }
            package = Package::default();
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        let Some((field, value)) =
            text.split_once(':').filter(|_| !goes_on && !text.starts_with([' ', '\t']))
        else {
            continue;
        };
        let value = value.trim();
        match field {
            "Package" => package.name = value.to_lowercase(),
            "Version" => package.version = Some(value.into()),
            "Architecture" => package.architecture = Some(value.into()),
            "Description" => package.description = Some(value.into()),
            "Status" => package.installed = value.split_whitespace().nth(2) == Some("installed"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    const DATABASE: &str = "Package: alpha\nStatus: install ok installed\nVersion: 1.2-3\nArchitecture: all\n\
        Description: first letter\n long text: with a colon\n .\n\nPackage: alpha-doc\n\
        Status: deinstall ok config-files\nVersion: 1.0\n\n\n\nbroken line\nPackage: beta\nVersion: 2";

    fn all(text: &str) -> Vec<Package> {
        let mut source = text.as_bytes();
        std::iter::from_fn(|| next(&mut source).unwrap()).collect()
    }

    fn taken(names: &[&str], pattern: &str) -> (Vec<String>, Vec<String>) {
        let names = names.iter().map(|n| (*n).to_owned()).collect();
        let mut wanted = Wanted::new(&Args { names, pattern: pattern.into() }).unwrap();
        let found = all(DATABASE).into_iter().map(|p| p.name).filter(|n| wanted.takes(n)).collect();
        (found, wanted.missing())
    }

    #[test]
    fn records_are_read_one_by_one_and_odd_lines_do_no_harm() {
        let packages = all(DATABASE);
        assert_eq!(packages.len(), 3);
        assert!(packages[0].installed && !packages[1].installed && !packages[2].installed);
        assert_eq!(packages[0].description.as_deref(), Some("first letter"));
        assert_eq!(packages[2].version.as_deref(), Some("2"));
        assert!(all("").is_empty());
        assert_eq!(all(&format!("Package: x\nDepends: {}\nVersion: 9\n", "y:".repeat(100_000))).len(), 1);
    }

    #[test]
    fn names_globs_words_and_what_is_missing() {
        assert_eq!(taken(&["ALPHA", "nothing"], ""), (vec!["alpha".into()], vec!["nothing".into()]));
        assert_eq!(taken(&["alpha*"], "").0.len(), 2);
        assert_eq!(taken(&[], "*-doc").0, ["alpha-doc"]);
        assert_eq!(taken(&[], "pha").0.len(), 2);
    }

    #[test]
    fn asking_for_nothing_is_refused() {
        let ran = crate::testing::run("find_packages", serde_json::json!({}));
        assert_eq!(ran.outcome.error.unwrap().class, ErrorClass::WrongArgs);
    }
}
