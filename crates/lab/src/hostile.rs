//! Hostile executors in both Pythons, signed by the house they attack: a good signature says who
//! approved a thing, not that it is harmless.

use crate::house::{Done, House, make_dir, write};
use serde_json::json;
use std::process::Output;

const PYTHON: &str = include_str!("../hostile/python.py");
const CPYTHON: &str = include_str!("../hostile/cpython.py");

/// One executor to sign.
pub(crate) struct Hostile<'a> {
    /// Within the closed vocabulary.
    pub(crate) name: &'a str,
    /// Which one.
    pub(crate) version: &'a str,
    /// `python` or `cpython`.
    pub(crate) runtime: &'a str,
    /// Its code.
    pub(crate) code: &'a str,
    /// Scopes it may read.
    pub(crate) read: &'a [&'a str],
    /// Scopes it may write.
    pub(crate) write: &'a [&'a str],
    /// Whether it may reach the listener that is named in profiles.
    pub(crate) net: bool,
    /// Credentials it names.
    pub(crate) credentials: &'a [&'a str],
    /// Limits other than the usual ones.
    pub(crate) limits: &'a str,
}

/// The usual limits.
const LIMITS: &str =
    "wall_ms = 60000, cpu_ms = 2000, memory_mb = 64, output_kb = 64, processes = 4, files = 64, tmp_mb = 4";

impl<'a> Hostile<'a> {
    /// With the usual limits and no rights.
    pub(crate) fn new(name: &'a str, runtime: &'a str) -> Self {
        let code = if runtime == "python" { PYTHON } else { CPYTHON };
        let none = &[][..];
        Self {
            name,
            version: "1.0.0",
            runtime,
            code,
            read: none,
            write: none,
            net: false,
            credentials: none,
            limits: LIMITS,
        }
    }

    /// Writes the folder and has the house sign and promote it; `without` when its code breaks a rule.
    pub(crate) fn sign(&self, house: &House, without: &str) -> Done {
        for done in self.put_in(house, without)? {
            if !done.status.success() {
                return Err(format!("{}: {}", self.name, String::from_utf8_lossy(&done.stderr)));
            }
        }
        Ok(())
    }

    /// The same, whatever comes of it.
    pub(crate) fn put_in(&self, house: &House, without: &str) -> Done<Vec<Output>> {
        let folder = house.at("skills").join(format!("{}-{}", self.name, self.version));
        make_dir(&folder.join("tests"))?;
        write(&folder.join("manifest.toml"), self.manifest(house.net.named.port))?;
        write(&folder.join("schema.json"), self.schema())?;
        write(&folder.join("tests/birth.toml"), BIRTH)?;
        write(&folder.join("main.py"), self.code)?;
        let path = folder.display().to_string();
        let acts: [&[&str]; 2] = [&["sign", &path], &["promote", self.name, self.version]];
        let done = |act: &[&str]| {
            let words = [&["executors"], act, &["--reason", "the attack table"]].concat();
            house.command(without, &words).output().map_err(|e| e.to_string())
        };
        acts.into_iter().map(done).collect()
    }

    fn effects(&self) -> bool {
        !self.write.is_empty()
    }

    fn manifest(&self, port: u16) -> String {
        let Self { name, version, runtime, .. } = self;
        let by = if *runtime == "python" { "synt:lab" } else { "skill:lab@1.0.0" };
        let hosts = [
            "127.0.0.1",
            "rebind.example.org",
            "mixed.example.org",
            "meta.example.org",
            "mapped.example.org",
            "lan.example.org",
            "nat.example.org",
        ];
        let net = if self.net { hosts.map(|h| format!("{h}:{port}")).to_vec() } else { Vec::new() };
        let capability = match (self.effects(), self.read.is_empty(), self.net) {
            (true, ..) => "fs:write",
            (false, false, _) => "fs:read",
            (false, true, true) => "network:http",
            _ => "compute:pure",
        };
        let list = |words: &[&str]| json!(words).to_string();
        format!(
            r#"[executor]
name = "{name}"
version = "{version}"
created_at = 2026-11-15T08:00:00Z
created_by = "{by}"

[description.en]
scope = "Tries to break out of its cell."
pattern = '{name}(attack="none")'
not = "Anything else."
out = "[{{attack,errno,got}}]"

[routing]
affinity = {{ en = ["attack"] }}
companions = []

[contract]
error_classes = ["wrong_args", "not_found", "permission_denied", "policy_violation", "network", "internal"]
idempotent = {idempotent}
side_effects = {effects}
reverse = {reverse}
tests = "unsigned"

[code]
runtime = "{runtime}"
digest = "unsigned"

[sandbox]
profile = "{profile}"
read = {read}
write = {write}
exec = []
net = {net}
credentials = {credentials}
limits = {{ {limits} }}
hash = "unsigned"

[[capability]]
name = "{capability}"

[audit]
trace_topic = "executor.{name}"
"#,
            effects = self.effects(),
            idempotent = !self.effects(),
            reverse = if self.effects() { r#"["restore_blob"]"# } else { "[]" },
            profile = if self.effects() {
                "fs-write"
            } else if self.net {
                "net"
            } else {
                "fs-read"
            },
            read = list(self.read),
            write = list(self.write),
            net = json!(net),
            credentials = list(self.credentials),
            limits = self.limits,
        )
    }

    fn schema(&self) -> String {
        let list = if self.effects() { "results" } else { "entries" };
        json!({ "definitions": {
            "Input": { "type": "object", "additionalProperties": false, "required": ["attack"], "properties": {
                "attack": { "type": "string" },
                "target": { "type": "string" },
                "n": { "type": "integer", "default": 0 },
                "list": { "type": "string", "default": list },
                "paths": { "type": "array", "items": { "type": "string", "format": "path" } },
                "dst_dir": { "type": "string", "format": "path" },
            } },
            "Output": { "type": "object", "properties": {
                list: { "type": "array", "items": { "type": "object", "required": ["attack"],
                    "properties": { "attack": { "type": "string" }, "got": { "type": "string" } } } }
            } }
        } })
        .to_string()
    }
}

const BIRTH: &str = r#"[[case]]
name = "does no harm when asked for none"
input = { attack = "none" }
expect = { ok = true }

[[case]]
name = "answers with one item"
input = { attack = "none" }
expect = { ok = true }

[[case]]
name = "refuses an attack it does not know"
input = { attack = "unheard-of" }
expect = { ok = false, error = { class = "wrong_args" } }
"#;

/// Code that breaks the static rule in one way each, behind an ordinary `run`.
const RULES: [(&str, &str); 4] = [
    ("get_persons_candidates", "got = str(eval('6 * 7'))"),
    ("get_persons_graylist", "got = str(len(().__class__.__base__.__subclasses__()))"),
    ("get_persons_blacklist", "import subprocess\n    got = subprocess.__name__"),
    ("get_persons_whitelist", "got = str(getattr(args, 'ke' + 'ys')())"),
];

/// Signs every executor the table uses.
pub(crate) fn sign_all(house: &House) -> Done {
    let paths = &["arg:paths"][..];
    let home = house.text("home");
    let quick = LIMITS.replace("wall_ms = 60000", "wall_ms = 700").replace("cpu_ms = 2000", "cpu_ms = 1000");
    let slow = LIMITS.replace("cpu_ms = 2000", "cpu_ms = 1000");
    let many = LIMITS.replace("processes = 4", "processes = 24");
    let roomy = LIMITS.replace("output_kb = 64", "output_kb = 8192");
    for hostile in [
        Hostile { read: paths, ..Hostile::new("read_urls_candidates", "python") },
        Hostile { net: true, ..Hostile::new("get_urls_candidates", "python") },
        Hostile { write: &["arg:dst_dir"], ..Hostile::new("write_urls_candidates", "python") },
        Hostile { limits: &roomy, ..Hostile::new("get_urls_graylist", "python") },
        Hostile { read: paths, ..Hostile::new("read_contacts_candidates", "cpython") },
        Hostile { net: true, limits: &many, ..Hostile::new("get_contacts_candidates", "cpython") },
        Hostile { write: &["arg:dst_dir"], ..Hostile::new("write_contacts_candidates", "cpython") },
        Hostile { limits: &quick, ..Hostile::new("get_contacts_graylist", "cpython") },
        Hostile { limits: &slow, ..Hostile::new("get_contacts_blacklist", "cpython") },
        Hostile { read: &["/"], write: &[&home], ..Hostile::new("set_contacts_candidates", "cpython") },
    ] {
        hostile.sign(house, "")?;
    }
    for (name, breach) in RULES {
        let code = format!(
            "def run(args: dict, ctx) -> dict:\n    if args['attack'] == 'unheard-of':\n        ctx.fail('wrong_args', 'no')\n    {breach}\n    return {{'entries': [{{'attack': args['attack'], 'errno': 0, 'got': got}}]}}\n"
        );
        Hostile { code: &code, ..Hostile::new(name, "cpython") }.sign(house, "static-check")?;
    }
    // Two versions of one executor, the older of which was retired.
    let answers = |text: &str| PYTHON.replace("got = \"\"\n", &format!("got = \"{text}\"\n"));
    let (old, new) = (answers("of the old version"), answers("of the new version"));
    let victim =
        |version, code| Hostile { version, code, ..Hostile::new("get_packages_candidates", "python") };
    victim("1.0.0", &old).sign(house, "")?;
    let current = house.executors("synt").join("get_packages_candidates/CURRENT");
    let kept = std::fs::read(&current).map_err(|e| e.to_string())?;
    write(&house.at("CURRENT.old"), kept)?;
    victim("1.1.0", &new).sign(house, "")
}
