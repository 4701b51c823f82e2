//! Where everything of this instance lives.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The three places an executor can come from, from most to least trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Root {
    /// Ships with Metnos.
    Seed,
    /// Synthesised here.
    Synt,
    /// Imported.
    Skills,
}

impl Root {
    /// All of them, the most trusted first.
    pub const ALL: [Self; 3] = [Self::Seed, Self::Synt, Self::Skills];

    /// The name of its folder.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Synt => "synt",
            Self::Skills => "skills",
        }
    }
}

impl std::fmt::Display for Root {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why the home of this instance cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// The environment names no home.
    #[error("neither METNOS_HOME nor HOME is set")]
    Unset,
    /// A relative path would mean another place in every folder.
    #[error("{variable} must be an absolute path, it is {value:?}")]
    Relative {
        /// Which variable.
        variable: &'static str,
        /// Its value.
        value: OsString,
    },
}

impl HomeError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        "set METNOS_HOME to an absolute path"
    }
}

/// The layout on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    user: PathBuf,
}

impl Home {
    /// Finds it from the environment: `METNOS_HOME`, else the XDG directories.
    pub fn locate(env: impl Fn(&str) -> Option<OsString>) -> Result<Self, HomeError> {
        let get = |variable: &'static str| match env(variable).filter(|value| !value.is_empty()) {
            None => Ok(None),
            Some(value) if Path::new(&value).is_absolute() => Ok(Some(PathBuf::from(value))),
            Some(value) => Err(HomeError::Relative { variable, value }),
        };
        let user = get("HOME")?;
        if let Some(base) = get("METNOS_HOME")? {
            let user = user.unwrap_or_else(|| base.clone());
            return Ok(Self { config: base.join("config"), state: base.join("state"), data: base, user });
        }
        let user = user.ok_or(HomeError::Unset)?;
        let xdg = |variable: &'static str, default: &str| -> Result<PathBuf, HomeError> {
            Ok(get(variable)?.unwrap_or_else(|| user.join(default)).join("metnos"))
        };
        Ok(Self {
            config: xdg("XDG_CONFIG_HOME", ".config")?,
            data: xdg("XDG_DATA_HOME", ".local/share")?,
            state: xdg("XDG_STATE_HOME", ".local/state")?,
            user,
        })
    }

    /// Configuration.
    pub fn config_dir(&self) -> PathBuf {
        self.config.clone()
    }

    /// Instance keys.
    pub fn keys_dir(&self) -> PathBuf {
        self.config.join("keys")
    }

    /// What the person and Metnos write together.
    pub fn workspace(&self) -> PathBuf {
        self.data.join("workspace")
    }

    /// All executors.
    pub fn executors_dir(&self) -> PathBuf {
        self.data.join("executors")
    }

    /// The executors of one root.
    pub fn root_dir(&self, root: Root) -> PathBuf {
        self.executors_dir().join(root.as_str())
    }

    /// Executors that were refused.
    pub fn quarantine_dir(&self) -> PathBuf {
        self.executors_dir().join(".quarantine")
    }

    /// Executors put away.
    pub fn archive_dir(&self) -> PathBuf {
        self.executors_dir().join(".archive")
    }

    /// The audit of executor calls.
    pub fn audit_dir(&self) -> PathBuf {
        self.workspace().join(".audit").join("executors")
    }

    /// What is kept for undo, where a rename from the home leads to.
    pub fn undo_dir(&self) -> PathBuf {
        self.data.join("undo")
    }

    /// Databases, blobs, logs.
    pub fn state_dir(&self) -> PathBuf {
        self.state.clone()
    }

    /// The home directory of the person.
    pub fn user_home(&self) -> PathBuf {
        self.user.clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn home(vars: &[(&str, &str)]) -> Result<Home, HomeError> {
        Home::locate(|key| vars.iter().find(|(k, _)| *k == key).map(|(_, v)| OsString::from(v)))
    }

    #[test]
    fn metnos_home_holds_everything_and_xdg_is_the_default() {
        let one = home(&[("METNOS_HOME", "/m"), ("HOME", "/h")]).unwrap();
        assert_eq!(one.keys_dir(), Path::new("/m/config/keys"));
        assert_eq!(one.root_dir(Root::Seed), Path::new("/m/executors/seed"));
        assert_eq!(one.audit_dir(), Path::new("/m/workspace/.audit/executors"));
        assert_eq!(one.user_home(), Path::new("/h"));
        let xdg = home(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s"), ("XDG_DATA_HOME", "")]).unwrap();
        assert_eq!(xdg.config_dir(), Path::new("/h/.config/metnos"));
        assert_eq!(xdg.workspace(), Path::new("/h/.local/share/metnos/workspace"));
        assert_eq!(xdg.state_dir(), Path::new("/s/metnos"));
        assert_eq!(home(&[]), Err(HomeError::Unset));
        assert!(matches!(home(&[("METNOS_HOME", "m")]), Err(HomeError::Relative { .. })));
    }
}
