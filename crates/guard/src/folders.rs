//! The folders that every home has, under the names that this home gives them: a desktop in another language calls
//! its documents by another name and writes it down.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// How a plan calls each of them, and the word for it in the settings of the desktop.
const KNOWN: [(&str, &str); 6] = [
    ("Desktop", "XDG_DESKTOP_DIR"),
    ("Documents", "XDG_DOCUMENTS_DIR"),
    ("Downloads", "XDG_DOWNLOAD_DIR"),
    ("Music", "XDG_MUSIC_DIR"),
    ("Pictures", "XDG_PICTURES_DIR"),
    ("Videos", "XDG_VIDEOS_DIR"),
];

/// Those that have another name here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    home: PathBuf,
    renamed: Vec<(&'static str, PathBuf)>,
}

impl Folders {
    /// As the desktop of `home` wrote them down; none where it did not.
    pub fn of(home: &Path) -> Self {
        let text = std::fs::read_to_string(home.join(".config/user-dirs.dirs")).unwrap_or_default();
        let renamed = KNOWN.into_iter().filter_map(|(name, word)| {
            let place = text.lines().find_map(|line| written(line, word, home))?;
            (place != home && place != home.join(name) && place.is_dir()).then_some((name, place))
        });
        Self { home: home.to_owned(), renamed: renamed.collect() }
    }

    /// `~/Documents/x` where it lies here. A folder that really has the usual name is that folder.
    pub fn here<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        let found = self.renamed.iter().find_map(|(name, place)| {
            let rest = path.strip_prefix("~").ok()?.strip_prefix(name).ok()?;
            let usual = self.home.join(name);
            let place = if rest.as_os_str().is_empty() { place.clone() } else { place.join(rest) };
            (!usual.exists()).then_some(place)
        });
        found.map_or(Cow::Borrowed(path), Cow::Owned)
    }
}

/// The value of one setting: `XDG_MUSIC_DIR="$HOME/Musica"`.
fn written(line: &str, word: &str, home: &Path) -> Option<PathBuf> {
    let value = line.trim().strip_prefix(word)?.strip_prefix("=\"")?.strip_suffix('"')?;
    match value.strip_prefix("$HOME") {
        Some(rest) => Some(home.join(rest.trim_matches('/'))),
        None => Some(PathBuf::from(value)).filter(|place| place.is_absolute()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_translated_folder_is_found_under_its_usual_name() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        assert_eq!(Folders::of(home).here(Path::new("~/Documents")), Path::new("~/Documents"));
        for made in [".config", "Documenti", "Musica", "Music"] {
            std::fs::create_dir(home.join(made)).unwrap();
        }
        let settings = "# from the desktop\nXDG_DOCUMENTS_DIR=\"$HOME/Documenti\"\nXDG_MUSIC_DIR=\"$HOME/Musica\"\n\
            XDG_DOWNLOAD_DIR=\"$HOME/\"\nXDG_PICTURES_DIR=\"$HOME/Immagini\"\nXDG_VIDEOS_DIR=relative\n";
        std::fs::write(home.join(".config/user-dirs.dirs"), settings).unwrap();
        let folders = Folders::of(home);
        assert_eq!(folders.here(Path::new("~/Documents/a/b.txt")), home.join("Documenti/a/b.txt"));
        assert_eq!(folders.here(Path::new("~/Documents")), home.join("Documenti"));
        // One of the usual name, one that is switched off, one that is not there, and everything else.
        for same in
            ["~/Music/x", "~/Downloads", "~/Pictures", "~/Videos", "~/DocumentsOld", "/x/Documents", "~"]
        {
            assert_eq!(folders.here(Path::new(same)), Path::new(same));
        }
    }
}
