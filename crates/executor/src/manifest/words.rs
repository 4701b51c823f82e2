//! The small closed words of a manifest.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// `major.minor.patch`, ordered as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Breaks what was.
    pub major: u32,
    /// Adds.
    pub minor: u32,
    /// Repairs.
    pub patch: u32,
}

impl std::str::FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // One spelling per version, because it is also the name of a folder.
        let number = |part: &str| {
            let plain = part == "0" || !part.starts_with('0');
            let digits = plain && part.bytes().all(|b| b.is_ascii_digit());
            if digits { part.parse::<u32>().ok() } else { None }
        };
        let parts: Vec<Option<u32>> = text.splitn(4, '.').map(number).collect();
        match parts[..] {
            [Some(major), Some(minor), Some(patch)] => Ok(Self { major, minor, patch }),
            _ => Err("expected a version such as 1.0.0".to_owned()),
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}.{}.{}", self.major, self.minor, self.patch))
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Who made an executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreatedBy {
    /// It ships with Metnos.
    Seed,
    /// It was synthesised.
    Synt {
        /// By which run.
        run: String,
    },
    /// It was imported.
    Skill {
        /// From which skill.
        name: String,
        /// At which version.
        version: String,
    },
}

impl std::str::FromStr for CreatedBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = |w: &str| {
            let ok = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
            (1..=100).contains(&w.len()) && w.bytes().all(ok)
        };
        let maker = match text.split_once(':') {
            None if text == "seed" => Some(Self::Seed),
            Some(("synt", run)) if word(run) => Some(Self::Synt { run: run.to_owned() }),
            Some(("skill", rest)) => rest
                .split_once('@')
                .filter(|(name, version)| word(name) && word(version))
                .map(|(name, version)| Self::Skill { name: name.to_owned(), version: version.to_owned() }),
            _ => None,
        };
        maker.ok_or_else(|| "expected \"seed\", \"synt:<run>\" or \"skill:<name>@<version>\"".to_owned())
    }
}

impl std::fmt::Display for CreatedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seed => f.write_str("seed"),
            Self::Synt { run } => write!(f, "synt:{run}"),
            Self::Skill { name, version } => write!(f, "skill:{name}@{version}"),
        }
    }
}

/// The closed catalogue of ways an effect is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReversePattern {
    /// Move back.
    SwapSrcDst,
    /// Remove what was created.
    DeleteCreatedPaths,
    /// Remove the directories that were created, if empty.
    DeleteCreatedDirs,
    /// Put the bytes back.
    RestoreBlob,
    /// Delete the record that was created at a backend.
    DeleteById,
    /// Put the previous record back.
    RestoreRecord,
}

impl ReversePattern {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::SwapSrcDst,
        Self::DeleteCreatedPaths,
        Self::DeleteCreatedDirs,
        Self::RestoreBlob,
        Self::DeleteById,
        Self::RestoreRecord,
    ];

    /// The name used in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SwapSrcDst => "swap_src_dst",
            Self::DeleteCreatedPaths => "delete_created_paths",
            Self::DeleteCreatedDirs => "delete_created_dirs",
            Self::RestoreBlob => "restore_blob",
            Self::DeleteById => "delete_by_id",
            Self::RestoreRecord => "restore_record",
        }
    }
}

/// The capabilities that the policy knows. Anything else is denied, so it cannot be declared.
pub const CAPABILITIES: [&str; 22] = [
    "compute:pure",
    "parse:local",
    "time:read",
    "llm:local",
    "dialog:user",
    "channel:in",
    "fs:read",
    "fs:write",
    "network:http",
    "llm:online",
    "mail:read",
    "calendar:read",
    "metnos:read",
    "system:read",
    "mail:write",
    "calendar:write",
    "mail:send",
    "channel:out",
    "metnos:write",
    "code:exec",
    "system:admin",
    "system:undo",
];
