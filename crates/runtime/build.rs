//! Embeds the folders of `executors/seed`, so that `metnos init` installs exactly what was built;
//! in a test build also the hostile ones of the lab.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut roots = vec![crates.join("../executors/seed")];
    if std::env::var_os("CARGO_FEATURE_LAB").is_some() {
        roots.push(crates.join("lab/seed"));
    }
    let mut folders = Vec::new();
    for root in &roots {
        println!("cargo::rerun-if-changed={}", root.display());
        folders.extend(sorted(root)?);
    }
    let mut table = String::from("pub(crate) const SEEDS: &[(&str, Parts)] = &[\n");
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        let _ = writeln!(table, "    ({:?}, &[", name(&folder));
        for part in ["manifest.toml", "schema.json", "tests/birth.toml"] {
            let file = folder.join(part).canonicalize()?;
            println!("cargo::rerun-if-changed={}", file.display());
            let _ = writeln!(table, "        ({part:?}, include_bytes!({:?})),", file.display().to_string());
        }
        table.push_str("    ]),\n");
    }
    table.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(out.join("seeds.rs"), table)
}

fn sorted(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(dir)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    all.retain(|path| path.is_dir());
    all.sort();
    Ok(all)
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
