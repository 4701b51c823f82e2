//! From TOML to a [`Manifest`], key by key.

use super::words::{CAPABILITIES, CreatedBy, ReversePattern};
use super::*;
use crate::document::{Field, Source, Table};
use crate::profile::{absurd, literal};
use crate::wire::Limits;
use metnos_tongue::FALLBACK;
use metnos_vocab::{Class, nearest};
use std::ops::Range;

type Read<T> = Result<T, ManifestError>;

/// Where the digests stand in the text, so that signing can fill them in.
pub(super) struct Places {
    pub(super) hash: Range<usize>,
    pub(super) tests: Range<usize>,
    pub(super) digest: Range<usize>,
}

pub(super) fn manifest(bytes: &[u8], file: &str) -> Read<(Manifest, Places)> {
    let source = Source::new(bytes, file, MANIFEST_MAX)?;
    let tree = source.parse()?;
    let root = Table::root(source, &tree);
    root.only(&[
        "executor",
        "description",
        "routing",
        "plan",
        "contract",
        "code",
        "sandbox",
        "capability",
        "audit",
    ])?;
    let section = |name: &str| root.need(name)?.table();
    let (contract_table, code_table, sandbox_table) =
        (section("contract")?, section("code")?, section("sandbox")?);

    let executor = identity(&section("executor")?)?;
    let contract = contract(&contract_table, &executor.name)?;
    let code = code(&code_table)?;
    let sandbox = sandbox(&sandbox_table, &executor)?;
    if !contract.side_effects && !sandbox.write.is_empty() {
        let problem = "an executor without side effects writes nowhere; expected []".to_owned();
        return Err(sandbox_table.error("write", Problem::Incoherent(problem)));
    }
    let places = Places {
        hash: sandbox_table.need("hash")?.span(),
        tests: contract_table.need("tests")?.span(),
        digest: code_table.need("digest")?.span(),
    };
    let manifest = Manifest {
        description: descriptions(&section("description")?)?,
        routing: routing(&section("routing")?)?,
        plan: root.get("plan").map_or(Ok(Plan::default()), |field| plan::plan(&field.table()?))?,
        hash: digest(&sandbox_table.need("hash")?)?,
        capability: capabilities(&root)?,
        audit: audit(&section("audit")?)?,
        executor,
        contract,
        code,
        sandbox,
    };
    Ok((manifest, places))
}

fn identity(table: &Table<'_>) -> Read<Identity> {
    table.only(&["name", "version", "created_at", "created_by"])?;
    Ok(Identity {
        name: table.need("name")?.parsed()?,
        version: table.need("version")?.parsed()?,
        created_at: table.need("created_at")?.moment()?,
        created_by: table.need("created_by")?.parsed()?,
    })
}

fn descriptions(table: &Table<'_>) -> Read<BTreeMap<String, Description>> {
    let mut all = BTreeMap::new();
    for field in table.fields() {
        language(&field)?;
        let one = field.table()?;
        one.only(&["scope", "pattern", "not", "out"])?;
        let text = |key: &str| -> Read<String> {
            let field = one.need(key)?;
            match field.text()? {
                "" => Err(field.wrong("a text that is not empty")),
                text => Ok(text.to_owned()),
            }
        };
        let not = one.get("not").map(|f| f.text().map(str::to_owned)).transpose()?.unwrap_or_default();
        let description =
            Description { scope: text("scope")?, pattern: text("pattern")?, not, out: text("out")? };
        all.insert(field.key().to_owned(), description);
    }
    if !all.contains_key(FALLBACK) {
        return Err(table.error(FALLBACK, Problem::Missing));
    }
    Ok(all)
}

fn language(field: &Field<'_>) -> Read<()> {
    let key = field.key();
    if (2..=3).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(());
    }
    Err(field.error(Problem::Incoherent("a language is two or three lower-case letters".to_owned())))
}

fn routing(table: &Table<'_>) -> Read<Routing> {
    table.only(&["affinity", "companions"])?;
    let mut routing = Routing::default();
    for field in table.need("affinity")?.table()?.fields() {
        language(&field)?;
        routing.affinity.insert(field.key().to_owned(), field.texts()?);
    }
    if let Some(field) = table.get("companions") {
        routing.companions = field.list()?.iter().map(Field::parsed).collect::<Read<_>>()?;
    }
    Ok(routing)
}

fn contract(table: &Table<'_>, name: &ExecutorName) -> Read<Contract> {
    table.only(&["error_classes", "idempotent", "side_effects", "reverse", "tests"])?;
    let class = |field: &Field<'_>| one_of(field, ErrorClass::ALL, ErrorClass::as_str, "an error class");
    let pattern =
        |field: &Field<'_>| one_of(field, ReversePattern::ALL, ReversePattern::as_str, "a reverse pattern");
    let changer = name.class() == Class::Changer;
    let side_effects = table.need("side_effects")?.flag()?;
    if changer && !side_effects {
        let problem = format!("{name} is a changer, so it has side effects; expected true");
        return Err(table.error("side_effects", Problem::Incoherent(problem)));
    }
    let reverse = match table.get("reverse") {
        Some(field) => field.list()?.iter().map(pattern).collect::<Read<Vec<_>>>()?,
        None if changer || side_effects => return Err(table.error("reverse", Problem::Missing)),
        None => Vec::new(),
    };
    if !side_effects && !reverse.is_empty() {
        let problem = "what changes nothing has nothing to undo; expected []".to_owned();
        return Err(table.error("reverse", Problem::Incoherent(problem)));
    }
    Ok(Contract {
        error_classes: table.need("error_classes")?.list()?.iter().map(class).collect::<Read<_>>()?,
        idempotent: table.need("idempotent")?.flag()?,
        side_effects,
        reverse,
        tests: digest(&table.need("tests")?)?,
    })
}

fn code(table: &Table<'_>) -> Read<Code> {
    table.only(&["runtime", "digest"])?;
    let names = |runtime: Runtime| match runtime {
        Runtime::Native => "native",
        Runtime::Python => "python",
        Runtime::Cpython => "cpython",
    };
    let all = [Runtime::Native, Runtime::Python, Runtime::Cpython];
    let runtime = one_of(&table.need("runtime")?, all, names, "a runtime")?;
    let field = table.need("digest")?;
    let digest = match (runtime, field.text()?) {
        (Runtime::Native, "host") => "host".to_owned(),
        (Runtime::Native, _) => return Err(field.wrong("\"host\", because the runtime is native")),
        _ => digest(&field)?,
    };
    Ok(Code { runtime, digest })
}

fn sandbox(table: &Table<'_>, executor: &Identity) -> Read<Profile> {
    table.only(&["profile", "read", "write", "exec", "net", "credentials", "limits", "hash"])?;
    fn list<T>(table: &Table<'_>, key: &str, one: impl Fn(&Field<'_>) -> Read<T>) -> Read<Vec<T>> {
        table.get(key).map_or(Ok(Vec::new()), |field| field.list()?.iter().map(one).collect())
    }
    let name = table.need("profile")?;
    let plain = |text: &str| {
        (1..=40).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit())
    };
    if !plain(name.text()?) {
        return Err(name.wrong("a name such as pure or fs-read"));
    }
    let binding = |field: &Field<'_>| match field.text()? {
        text if plain(&text.replace('_', "-")) => Ok(text.to_owned()),
        _ => Err(field.wrong("the name of a vault binding")),
    };
    let host = |field: &Field<'_>| {
        let pattern: crate::profile::NetPattern = field.parsed()?;
        if pattern.is_free() && executor.created_by != CreatedBy::Seed {
            return Err(field.wrong("a named host: only seeds may reach any host"));
        }
        Ok(pattern)
    };
    Ok(Profile {
        profile: name.text()?.to_owned(),
        read: list(table, "read", |f| f.parsed())?,
        write: list(table, "write", |f| f.parsed())?,
        exec: list(table, "exec", |f| literal(f.text()?).map_err(|_| f.wrong("an absolute path")))?,
        net: list(table, "net", host)?,
        credentials: list(table, "credentials", binding)?,
        limits: table.get("limits").map_or_else(|| Ok(Limits::default()), |field| limits(&field.table()?))?,
    })
}

fn limits(table: &Table<'_>) -> Read<Limits> {
    table.only(&[
        "wall_ms",
        "cpu_ms",
        "memory_mb",
        "output_kb",
        "processes",
        "files",
        "tmp_mb",
        "layer_mb",
        "layer_files",
    ])?;
    let base = Limits::default();
    let number = |key: &str, default: u64| table.get(key).map_or(Ok(default), |field| field.whole());
    let small = |key: &str, default: u32| -> Read<u32> {
        // A number beyond 32 bits is absurd as well and is named as such below.
        Ok(u32::try_from(number(key, default.into())?).unwrap_or(u32::MAX))
    };
    let limits = Limits {
        wall_ms: number("wall_ms", base.wall_ms)?,
        cpu_ms: number("cpu_ms", base.cpu_ms)?,
        memory_mb: number("memory_mb", base.memory_mb)?,
        output_kb: number("output_kb", base.output_kb)?,
        processes: small("processes", base.processes)?,
        files: small("files", base.files)?,
        tmp_mb: number("tmp_mb", base.tmp_mb)?,
        layer_mb: number("layer_mb", base.layer_mb)?,
        layer_files: number("layer_files", base.layer_files)?,
    };
    match absurd(&limits) {
        None => Ok(limits),
        Some((key, found, most)) => {
            let expected = format!("a number from 1 to {most}");
            Err(table.error(key, Problem::Wrong { found: found.to_string(), expected }))
        }
    }
}

fn capabilities(root: &Table<'_>) -> Read<Vec<Capability>> {
    let field = root.need("capability")?;
    let mut all = Vec::new();
    for item in field.list()? {
        let table = item.table()?;
        table.only(&["name", "target"])?;
        let name = one_of(&table.need("name")?, CAPABILITIES, |name| name, "a capability")?.to_owned();
        let target = match table.get("target") {
            None => None,
            Some(field) => match field.text()? {
                "" => return Err(field.wrong("a target that is not empty")),
                text => Some(text.to_owned()),
            },
        };
        all.push(Capability { name, target });
    }
    // Policy is asked once per capability: none at all would mean never.
    if all.is_empty() {
        return Err(field.wrong("at least one capability"));
    }
    Ok(all)
}

fn audit(table: &Table<'_>) -> Read<Audit> {
    table.only(&["trace_topic"])?;
    let field = table.need("trace_topic")?;
    let text = field.text()?;
    let ok = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
    if text.is_empty() || text.len() > 120 || !text.bytes().all(ok) {
        return Err(field.wrong("a topic such as executor.get_now"));
    }
    Ok(Audit { trace_topic: text.to_owned() })
}

fn digest(field: &Field<'_>) -> Read<String> {
    let text = field.text()?;
    let hex = |hex: &str| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if text == UNSIGNED || text.strip_prefix("blake3:").is_some_and(hex) {
        return Ok(text.to_owned());
    }
    Err(field.wrong("\"unsigned\" or \"blake3:\" and 64 hexadecimal digits"))
}

fn one_of<T: Copy, const N: usize>(
    field: &Field<'_>,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
    what: &str,
) -> Read<T> {
    let text = field.text()?;
    all.into_iter().find(|one| name(*one) == text).ok_or_else(|| {
        let near = nearest(text, all.into_iter().map(&name)).map(|near| format!(" (nearest: {near:?})"));
        field.wrong(format!("{what}{}", near.unwrap_or_default()))
    })
}
