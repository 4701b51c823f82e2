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
    let (literals, _) = texts("literal.toml", &|_| true)?;
    std::fs::write(Path::new(&out).join("literals.rs"), literals)?;
    // How somebody asks to be asked is read with the lexicon of the same language.
    let lexicons = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/lexicon");
    let (inputs, hash) =
        texts("inputs.toml", &|language| lexicons.join(format!("{language}.toml")).is_file())?;
    std::fs::write(Path::new(&out).join("inputs.rs"), inputs)?;
    let source = rules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))?;
    println!("cargo:rustc-env=ENGINE_RULES={source:016x}{hash:016x}");
    Ok(())
}

/// `(language, text)` of a file of every language that has it, and a digest of all of them.
fn texts(name: &str, wanted: &dyn Fn(&str) -> bool) -> std::io::Result<(String, u64)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/data");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut languages: Vec<_> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    languages.sort();
    let (mut source, mut hash) = (String::from("&[\n"), START);
    for language in languages {
        let file = language.join("texts").join(name);
        println!("cargo:rerun-if-changed={}", file.display());
        let language = language.file_name().unwrap_or_default().to_string_lossy();
        if file.is_file() && wanted(&language) {
            let _ = writeln!(source, "({language:?}, include_str!({file:?})),");
            hash = digest(hash, &std::fs::read(&file)?);
        }
    }
    source.push(']');
    Ok((source, hash))
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn digest(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A digest of the source: plans that other rules made are not remembered. It guards against change, not malice.
fn rules(folder: &Path) -> std::io::Result<u64> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut hash = START;
    for file in files {
        hash = match file.is_dir() {
            true => digest(hash, &rules(&file)?.to_le_bytes()),
            false => digest(hash, &std::fs::read(&file)?),
        };
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
