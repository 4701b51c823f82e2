//! The languages whose lines are counted: extensions or whole names, and how comments look.

/// How one language is recognised and commented.
pub(crate) struct Language {
    /// The name shown.
    pub name: &'static str,
    /// Extensions in lower case; a word with a capital is a whole file name. Either matches in
    /// any case.
    pub files: &'static [&'static str],
    /// What starts a comment that ends with the line.
    pub line: &'static [&'static str],
    /// What starts and ends a comment over several lines.
    pub block: &'static [(&'static str, &'static str)],
    /// What opens and closes a string, inside which nothing is a comment.
    pub quotes: &'static [u8],
}

const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const XML_BLOCK: &[(&str, &str)] = &[("<!--", "-->")];

const fn language(
    name: &'static str,
    files: &'static [&'static str],
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    quotes: &'static [u8],
) -> Language {
    Language { name, files, line, block, quotes }
}

/// Every language, once.
pub(crate) const LANGUAGES: &[Language] = &[
    language("Ada", &["adb", "ads"], &["--"], &[], b"\""),
    language("Assembly", &["asm", "s"], &[";", "#"], C_BLOCK, b"\""),
    language("Awk", &["awk"], &["#"], &[], b"\""),
    language("Batch", &["bat", "cmd"], &["::", "rem ", "REM "], &[], b""),
    language("C", &["c"], &["//"], C_BLOCK, b"\""),
    language("C header", &["h"], &["//"], C_BLOCK, b"\""),
    language("C#", &["cs"], &["//"], C_BLOCK, b"\""),
    language("C++", &["cc", "cpp", "cxx", "hh", "hpp"], &["//"], C_BLOCK, b"\""),
    language("CMake", &["cmake", "CMakeLists.txt"], &["#"], &[], b"\""),
    language("CSS", &["css"], &[], C_BLOCK, b"\"'"),
    language("Clojure", &["clj", "cljs"], &[";"], &[], b"\""),
    language("D", &["d"], &["//"], C_BLOCK, b"\""),
    language("Dart", &["dart"], &["//"], C_BLOCK, b"\"'"),
    language("Dockerfile", &["dockerfile", "Dockerfile", "Containerfile"], &["#"], &[], b"\""),
    language("Elixir", &["ex", "exs"], &["#"], &[], b"\""),
    language("Elm", &["elm"], &["--"], &[("{-", "-}")], b"\""),
    language("Erlang", &["erl", "hrl"], &["%"], &[], b"\""),
    language("F#", &["fs", "fsx"], &["//"], &[("(*", "*)")], b"\""),
    language("Fortran", &["f90", "f95", "f03"], &["!"], &[], b"\"'"),
    language("Go", &["go"], &["//"], C_BLOCK, b"\"`"),
    language("GraphQL", &["graphql", "gql"], &["#"], &[], b"\""),
    language("Groovy", &["groovy", "gradle"], &["//"], C_BLOCK, b"\"'"),
    language("HTML", &["html", "htm"], &[], XML_BLOCK, b""),
    language("Haskell", &["hs"], &["--"], &[("{-", "-}")], b"\""),
    language("JSON", &["json", "jsonl"], &[], &[], b"\""),
    language("Java", &["java"], &["//"], C_BLOCK, b"\""),
    language("JavaScript", &["js", "mjs", "cjs", "jsx"], &["//"], C_BLOCK, b"\"'`"),
    language("Julia", &["jl"], &["#"], &[("#=", "=#")], b"\""),
    language("Kotlin", &["kt", "kts"], &["//"], C_BLOCK, b"\""),
    language("Lisp", &["lisp", "el", "scm"], &[";"], &[("#|", "|#")], b"\""),
    language("Lua", &["lua"], &["--"], &[("--[[", "]]")], b"\"'"),
    language("Makefile", &["mk", "Makefile", "GNUmakefile"], &["#"], &[], b""),
    language("Markdown", &["md", "markdown"], &[], XML_BLOCK, b""),
    language("Nim", &["nim"], &["#"], &[("#[", "]#")], b"\""),
    language("Nix", &["nix"], &["#"], C_BLOCK, b"\""),
    language("OCaml", &["ml", "mli"], &[], &[("(*", "*)")], b"\""),
    language("Objective-C", &["m", "mm"], &["//"], C_BLOCK, b"\""),
    language("PHP", &["php"], &["//", "#"], C_BLOCK, b"\"'"),
    language("Pascal", &["pas"], &["//"], &[("{", "}"), ("(*", "*)")], b"'"),
    language("Perl", &["pl", "pm"], &["#"], &[], b"\"'"),
    language("PowerShell", &["ps1", "psm1"], &["#"], &[("<#", "#>")], b"\"'"),
    language("Protobuf", &["proto"], &["//"], C_BLOCK, b"\""),
    language("Python", &["py", "pyi"], &["#"], &[], b"\"'"),
    language("R", &["r"], &["#"], &[], b"\"'"),
    language("Ruby", &["rb", "Rakefile", "Gemfile"], &["#"], &[], b"\"'"),
    language("Rust", &["rs"], &["//"], C_BLOCK, b"\""),
    language("SQL", &["sql"], &["--"], C_BLOCK, b"'"),
    language("Scala", &["scala"], &["//"], C_BLOCK, b"\""),
    language("Sass", &["scss", "sass", "less"], &["//"], C_BLOCK, b"\"'"),
    language("Shell", &["sh", "bash", "zsh", "fish"], &["#"], &[], b"\"'"),
    language("Svelte", &["svelte"], &["//"], XML_BLOCK, b""),
    language("Swift", &["swift"], &["//"], C_BLOCK, b"\""),
    language("TOML", &["toml"], &["#"], &[], b"\"'"),
    language("Terraform", &["tf"], &["#", "//"], C_BLOCK, b"\""),
    language("TypeScript", &["ts", "tsx", "mts", "cts"], &["//"], C_BLOCK, b"\"'`"),
    language("Vue", &["vue"], &["//"], XML_BLOCK, b""),
    language("XML", &["xml", "xsd", "xsl"], &[], XML_BLOCK, b""),
    language("YAML", &["yaml", "yml"], &["#"], &[], b"\"'"),
    language("Zig", &["zig"], &["//"], &[], b"\""),
];

/// The place in [`LANGUAGES`] of the language a file name stands for.
pub(crate) fn of_name(name: &[u8]) -> Option<usize> {
    let ext = super::record::ext_of(name);
    let is = |word: &str| {
        let whole = word.bytes().any(|b| b.is_ascii_uppercase());
        word.as_bytes().eq_ignore_ascii_case(if whole { name } else { ext })
    };
    LANGUAGES.iter().position(|language| language.files.iter().any(|word| is(word)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn no_extension_belongs_to_two_languages() {
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(|l| l.files).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(LANGUAGES.len() >= 40);
    }

    #[test]
    fn names_and_extensions() {
        assert_eq!(of_name(b"A.RS").map(|i| LANGUAGES[i].name), Some("Rust"));
        assert_eq!(of_name(b"Makefile").map(|i| LANGUAGES[i].name), Some("Makefile"));
        assert_eq!(of_name(b"rs"), None);
        assert_eq!(of_name(b"\xff.rs"), of_name(b"a.rs"));
        assert_eq!(of_name(b"makefile"), of_name(b"Makefile"));
    }
}
