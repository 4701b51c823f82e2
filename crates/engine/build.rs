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
    std::fs::write(Path::new(&out).join("lexicons.rs"), languages("data/lexicon")?)?;
    std::fs::write(Path::new(&out).join("prompts.rs"), languages("data/prompts")?)?;
    std::fs::write(Path::new(&out).join("literals.rs"), languages("data/literal")?)?;
    std::fs::write(Path::new(&out).join("inputs.rs"), languages("data/inputs")?)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (source, inputs) = (rules(&root.join("src"))?, rules(&root.join("data/inputs"))?);
    println!("cargo:rustc-env=ENGINE_RULES={source:016x}{inputs:016x}");
    Ok(())
}

/// A digest of the source: plans that other rules made are not remembered. It guards against change, not malice.
fn rules(folder: &Path) -> std::io::Result<u64> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in files {
        match file.is_dir() {
            true => add(&rules(&file)?.to_le_bytes()),
            false => add(&std::fs::read(&file)?),
        }
    }
    Ok(hash)
}

/// `(language, text)` of every file of a folder: a language is there because its file is.
fn languages(folder: &str) -> std::io::Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
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
