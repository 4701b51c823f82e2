//! Embeds the folders of `executors/seed`, so that `metnos init` installs exactly what was built.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../executors/seed");
    println!("cargo::rerun-if-changed={}", seeds.display());
    let mut table = String::from(
        "type Parts = &'static [(&'static str, &'static [u8])];\npub(crate) const SEEDS: &[(&str, Parts)] = &[\n",
    );
    for folder in sorted(&seeds)? {
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
