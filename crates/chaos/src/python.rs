//! Two executors in Python, one for each runtime: what they change goes through a private layer and the hands.

use crate::Done;
use std::path::{Path, PathBuf};

/// An executor to sign.
pub(crate) struct Draft {
    pub(crate) name: &'static str,
    runtime: &'static str,
    by: &'static str,
    code: &'static str,
}

/// Works on the files of its folder itself.
pub(crate) const LAYER: &str = "change_files";
/// Works through `ctx` alone.
pub(crate) const CTX: &str = "change_texts";

/// Both.
pub(crate) const DRAFTS: [Draft; 2] = [
    Draft {
        name: LAYER,
        runtime: "cpython",
        by: "skill:chaos@1.0.0",
        code: include_str!("../data/layer.py"),
    },
    Draft { name: CTX, runtime: "python", by: "synt:01", code: include_str!("../data/ctx.py") },
];

impl Draft {
    /// Writes it below `dir`; gives its folder.
    pub(crate) fn write(&self, dir: &Path) -> Done<PathBuf> {
        let folder = dir.join(self.name);
        let manifest = include_str!("../data/manifest.toml")
            .replace("@name", self.name)
            .replace("@by", self.by)
            .replace("@runtime", self.runtime);
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder.join("tests"))?;
            std::fs::write(folder.join("manifest.toml"), manifest)?;
            std::fs::write(folder.join("schema.json"), include_str!("../data/schema.json"))?;
            std::fs::write(folder.join("main.py"), self.code)?;
            std::fs::write(folder.join("tests/birth.toml"), include_str!("../data/birth.toml"))
        };
        write().map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }
}
