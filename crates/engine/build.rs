//! Lists the manifests and schemas of `executors/{seed,dormant}`, so that the catalog planned over is the one that ships.

use std::fmt::Write as _;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let executors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../executors");
    let mut source = String::from("&[\n");
    for root in ["seed", "dormant"] {
        let folder = executors.join(root);
        println!("cargo:rerun-if-changed={}", folder.display());
        let mut names: Vec<_> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
        names.sort();
        for name in names.iter().filter(|path| path.join("manifest.toml").is_file()) {
            println!("cargo:rerun-if-changed={}", name.display());
            let (manifest, schema) = (name.join("manifest.toml"), name.join("schema.json"));
            let _ = writeln!(source, "(include_str!({manifest:?}), include_str!({schema:?})),");
        }
    }
    source.push(']');
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("shipped.rs"), source)?;
    std::fs::write(Path::new(&out).join("lexicons.rs"), languages("lexicon")?)?;
    std::fs::write(Path::new(&out).join("prompts.rs"), languages("prompts")?)
}

/// `(language, text)` of every file of a folder of `data`: a language is there because its file is.
fn languages(folder: &str) -> std::io::Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder);
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut source = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let language = file.file_stem().unwrap_or_default();
        let _ = writeln!(source, "({language:?}, include_str!({file:?})),");
    }
    source.push(']');
    Ok(source)
}
