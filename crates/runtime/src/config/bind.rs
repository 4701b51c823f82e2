//! Binds a model in `metnos.toml`: only the keys of one `[tiers.<role>]` change. Everything else, comments and all,
//! stays as the person wrote it, and what was there before is kept beside it.

use super::check::{check, table_of};
use super::table::TIERS;
use super::{Config, refused};
use crate::news::Topic;
use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_llm::{Kind, Role, Tier, Url};
use serde::Serialize;
use std::io::Write;
use std::num::NonZeroU32;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// What is to stand behind a role. The server speaks as OpenAI does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Which role.
    pub role: Role,
    /// Where the server is.
    pub url: Url,
    /// Which of its models.
    pub model: String,
    /// The name of its key in the vault.
    pub credential: Option<String>,
    /// How long one answer may take, where that is longer than usual.
    pub timeout_seconds: Option<NonZeroU32>,
}

/// What a binding changes in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Which file.
    pub file: PathBuf,
    /// The lines that go (`-`) and come (`+`); none where it says so already.
    pub diff: Vec<String>,
    /// Where the file lies as it was before; none where there was none, or nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
}

impl Binding {
    /// The role as it would be asked.
    pub fn tier(&self) -> Tier {
        Tier {
            kind: Kind::Openai,
            url: self.url.clone(),
            model: self.model.clone(),
            credential: self.credential.clone(),
            timeout_seconds: self.timeout_seconds.unwrap_or(NonZeroU32::MIN.saturating_add(59)),
            context: None,
            price_in: metnos_llm::Price::default(),
            price_out: metnos_llm::Price::default(),
            grammar: None,
        }
    }

    fn keys(&self) -> Vec<(&'static str, String)> {
        let mut keys = vec![
            ("kind", quoted("openai")),
            ("url", quoted(&self.url.to_string())),
            ("model", quoted(&self.model)),
        ];
        keys.extend(self.credential.iter().map(|name| ("credential", quoted(name))));
        keys.extend(self.timeout_seconds.iter().map(|n| ("timeout_seconds", n.to_string())));
        keys
    }

    fn holds_in(&self, config: &Config) -> bool {
        config.tiers.of(self.role).is_some_and(|tier| {
            let timeout = self.timeout_seconds.is_none_or(|wanted| tier.timeout_seconds == wanted);
            let credential = self.credential.is_none() || tier.credential == self.credential;
            tier.kind == Kind::Openai
                && tier.url == self.url
                && tier.model == self.model
                && timeout
                && credential
        })
    }

    /// The text of the file with this binding. A text that is not understood is not touched.
    fn written_in(&self, text: &str, path: &Path) -> Result<String, Failure> {
        let config = Config::parse(text, path)?;
        if self.holds_in(&config) {
            return Ok(text.to_owned());
        }
        let document = DeTable::parse(text).map_err(|e| Failure::wrong_args(e.message().to_owned()))?;
        let table = table_of(document.get_ref(), TIERS).and_then(|tiers| table_of(tiers, self.role.word()));
        let new = match table {
            Some(table) => self.changed(text, table, config.tiers.of(self.role)),
            None => self.added(text),
        };
        let wrong = check(&new);
        let taken = wrong.is_empty() && Config::parse(&new, path).is_ok_and(|config| self.holds_in(&config));
        match taken {
            true => Ok(new),
            false if wrong.is_empty() => {
                let what = format!(
                    "{}: [tiers.{}] is written in a way that is not changed here",
                    path.display(),
                    self.role.word()
                );
                Err(Failure::wrong_args(what).with_hint("change it in an editor, as docs/models.md shows"))
            }
            false => Err(refused(path, &wrong)),
        }
    }

    fn added(&self, text: &str) -> String {
        let mut new = text.to_owned();
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        if !new.is_empty() {
            new.push('\n');
        }
        new.push_str(&format!("[{TIERS}.{}]\n", self.role.word()));
        for (key, value) in self.keys() {
            new.push_str(&format!("{key} = {value}\n"));
        }
        new
    }

    fn changed(&self, text: &str, table: &DeTable<'_>, before: Option<&Tier>) -> String {
        // What goes, and what comes in its place; from the end, so that places before it stay right.
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        let mut missing = String::new();
        for (key, value) in self.keys() {
            match table.iter().find(|(known, _)| known.get_ref() == key) {
                Some((_, old)) => edits.push((old.span(), value)),
                None => missing.push_str(&format!("{key} = {value}\n")),
            }
        }
        // The key of another server is not sent to this one.
        let elsewhere = before.is_some_and(|tier| tier.url != self.url);
        let key = table.iter().find(|(known, _)| known.get_ref() == "credential");
        if let Some((name, value)) = key.filter(|_| self.credential.is_none() && elsewhere) {
            let from = text[..name.span().start].rfind('\n').map_or(0, |at| at + 1);
            edits.push((from..line_end(text, value.span().end), String::new()));
        }
        if !missing.is_empty() {
            let last = table.iter().map(|(_, value)| value.span().end).max().unwrap_or(text.len());
            let at = line_end(text, last);
            let line_break = if text[..at].ends_with('\n') { "" } else { "\n" };
            edits.push((at..at, format!("{line_break}{missing}")));
        }
        edits.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
        let mut new = text.to_owned();
        for (range, value) in edits {
            new.replace_range(range, &value);
        }
        new
    }
}

/// Where the line ends in which `at` stands, with its line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The lines between the first and the last that differ.
fn diff(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let front = old.iter().zip(&new).take_while(same).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(same).count();
    let gone = old[front..old.len() - back].iter().map(|line| format!("-{line}"));
    let come = new[front..new.len() - back].iter().map(|line| format!("+{line}"));
    gone.chain(come).collect()
}

impl Runtime {
    /// What a binding would change; nothing is written.
    pub fn would_bind(&self, binding: &Binding) -> Result<Bound, Failure> {
        let (file, old, new) = self.with_binding(binding)?;
        Ok(Bound { file, diff: diff(&old, &new), backup: None })
    }

    /// Binds a model. Every process of this home asks it from its next turn on.
    pub fn bind_model(&self, binding: &Binding) -> Result<Bound, Failure> {
        let (file, old, new) = self.with_binding(binding)?;
        let diff = diff(&old, &new);
        if old == new {
            return Ok(Bound { file, diff, backup: None });
        }
        // A file that is a link stays one.
        let place = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        let io = |e: std::io::Error| Failure::io(place.display(), &e);
        let mode = std::fs::metadata(&place).map_or(0o600, |meta| meta.permissions().mode() & 0o777);
        let backup = match place.exists() {
            true => Some(kept(&place, &old, mode)?),
            false => None,
        };
        let fresh = place.with_extension("toml.new");
        let write = || -> std::io::Result<()> {
            let options =
                std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).clone();
            let mut file = options.open(&fresh)?;
            file.write_all(new.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&fresh, &place)
        };
        write().inspect_err(|_| drop(std::fs::remove_file(&fresh))).map_err(io)?;
        self.news.tell(&self.db, Topic::Models)?;
        // What can run depends on which models there are.
        self.moved_executors()?;
        self.reload_tiers();
        Ok(Bound { file, diff, backup })
    }

    fn with_binding(&self, binding: &Binding) -> Result<(PathBuf, String, String), Failure> {
        if let Some(flaw) = binding.tier().flaw() {
            return Err(Failure::wrong_args(flaw));
        }
        let file = Config::path(&self.home);
        let old = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Failure::io(file.display(), &e)),
        };
        let new = binding.written_in(&old, &file)?;
        Ok((file, old, new))
    }
}

/// Keeps the file as it was, under a name that nothing has yet.
fn kept(place: &Path, text: &str, mode: u32) -> Result<PathBuf, Failure> {
    let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S%.3f").to_string();
    let backup = place.with_extension(format!("toml.{now}.bak"));
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&backup);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|e| Failure::io(backup.display(), &e))?;
    Ok(backup)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn binding(url: &str) -> Binding {
        Binding {
            role: Role::Wise,
            url: Url::parse(url).unwrap(),
            model: "a \"b\"".into(),
            credential: None,
            timeout_seconds: None,
        }
    }

    fn written(binding: &Binding, text: &str) -> Result<String, Failure> {
        binding.written_in(text, Path::new("c"))
    }

    #[test]
    fn a_section_is_added_below_what_is_there_and_a_second_time_changes_nothing() {
        let binding = binding("http://127.0.0.1:8080/v1");
        let old = "# mine\n[undo]\nkeep_days = 3 # three";
        let new = written(&binding, old).unwrap();
        assert_eq!(
            new,
            format!(
                "{old}\n\n[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:8080\"\nmodel = \"a \\\"b\\\"\"\n"
            )
        );
        assert_eq!(written(&binding, &new).unwrap(), new);
        assert_eq!(diff(old, &new).len(), 5);
        assert!(written(&binding, "").unwrap().starts_with("[tiers.wise]"));
    }

    #[test]
    fn a_section_that_is_there_keeps_its_comments_and_other_keys_and_loses_the_key_of_another_server() {
        let old = "[tiers.wise] # which\nkind = \"anthropic\"   # before\nurl = \"https://models.example.org\"\n\
            model = 'm'\ncredential = \"models\"\ncontext = 4096 # enough\n\n[undo]\nkeep_days = 3\n";
        let new = written(&binding("http://127.0.0.1:1234"), old).unwrap();
        assert_eq!(
            new,
            "[tiers.wise] # which\nkind = \"openai\"   # before\nurl = \"http://127.0.0.1:1234\"\n\
            model = \"a \\\"b\\\"\"\ncontext = 4096 # enough\n\n[undo]\nkeep_days = 3\n"
        );
        // Named again, it stays; and what is missing comes below the last key.
        let keyed = Binding {
            credential: Some("local".into()),
            timeout_seconds: NonZeroU32::new(180),
            ..binding("http://127.0.0.1:1234")
        };
        let again = written(&keyed, &new).unwrap();
        assert!(
            again
                .contains("context = 4096 # enough\ncredential = \"local\"\ntimeout_seconds = 180\n\n[undo]"),
            "{again}"
        );
        let inline = "[tiers]\nwise = { kind = \"openai\", url = \"http://127.0.0.1:1\", model = \"m\" }\n";
        assert!(written(&binding("http://127.0.0.1:2"), inline).unwrap().contains("http://127.0.0.1:2\""));
        assert!(written(&keyed, inline).is_err(), "what is missing has no line of its own there");
    }

    #[test]
    fn what_is_not_understood_is_not_touched() {
        for broken in ["[undo\n", "[undo]\nkeep_dais = 3\n", "[tiers.wise]\nkind = \"openai\"\n"] {
            assert!(written(&binding("http://127.0.0.1:1"), broken).is_err(), "{broken}");
        }
    }
}
