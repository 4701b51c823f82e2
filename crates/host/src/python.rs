//! Runs Python executors: what `ctx` may do, checked against the fence before the kernel checks it
//! again, and the answer turned into the contract of any other executor.

use crate::cell::Brought;
use crate::egress::{Egress, Forwarder};
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{FenceWire, PRIVATE_TMP, Reach, Request, Runtime, SPACE};
use metnos_executor::{ErrorClass, Failure, Origin, Outcome};
use metnos_python::{Bounds, Ctx, Fetched, Kind, Named, Stat};
use metnos_seeds::Call;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The most of an input list that Python gets; larger ones are for native processors.
const LIST_MAX: u64 = 64 << 20;
/// The largest file that `read_text` and `read_bytes` return.
const FILE_MAX: u64 = 64 << 20;

/// What must exist before the layers close.
#[derive(Default)]
pub(crate) struct Prepared {
    forwarder: Option<Forwarder>,
}

/// Binds the forwarder's port, which a closed cell no longer could.
pub(crate) fn prepare(request: &Request, brought: &Brought) -> Result<Prepared, Failure> {
    let needed = request.runtime == Runtime::Cpython && brought.proxy.is_some();
    let forwarder = needed.then(Forwarder::bind).transpose().map_err(|e| Failure::io("the forwarder", &e))?;
    Ok(Prepared { forwarder })
}

/// Runs the executor's code; its list goes through `call`, the rest into `call.outcome`.
pub(crate) fn run(
    request: &Request,
    brought: &mut Brought,
    prepared: Prepared,
    call: &mut Call<'_>,
) -> Result<(), Failure> {
    let code =
        read_text(brought.code.take().ok_or_else(|| Failure::internal("no code came with the call"))?)?;
    let mut args = request.args.clone();
    let mut origin = Origin::Local;
    for (name, file) in [("entries", brought.entries.take()), ("with", brought.with.take())] {
        if let Some(file) = file {
            args.insert(name.into(), list(file, name, &mut origin)?);
        }
    }
    if request.runtime == Runtime::Cpython {
        origin = origin.join(Origin::Skill);
    }
    let egress = brought.proxy.take().map(Egress::new);
    let limits = &request.limits;
    let bounds = Bounds {
        memory_bytes: (limits.memory_mb << 19) as usize,
        duration: Duration::from_millis(limits.cpu_ms),
        output_bytes: (limits.output_kb << if lab::without(Layer::OutputBound) { 16 } else { 10 }) as usize,
        ..Bounds::default()
    };
    let bounds = if lab::without(Layer::Bounds) { unbounded(bounds) } else { bounds };
    let credentials = brought.credentials.take().map(credentials).transpose()?.unwrap_or_default();
    let mut ctx = CellCtx {
        fence: &request.fence,
        now: &request.now,
        call,
        egress: egress.clone(),
        origin,
        credentials,
    };
    let args = Value::Object(args);
    let answer = match request.runtime {
        Runtime::Cpython => {
            let port = prepared.forwarder.as_ref().map(|f| f.port);
            if let (Some(forwarder), Some(egress)) = (prepared.forwarder, egress) {
                forwarder.serve(egress).map_err(|e| Failure::io("the forwarder", &e))?;
            }
            cpython(&code, &args, &mut ctx, bounds, port)?
        }
        _ => metnos_python::embedded::run(&code, &args, &mut ctx, bounds)?,
    };
    let origin = ctx.origin;
    deliver(answer, call, origin)
}

/// Bounds that no test reaches.
fn unbounded(bounds: Bounds) -> Bounds {
    Bounds { memory_bytes: bounds.memory_bytes << 4, output_bytes: bounds.output_bytes << 4, ..bounds }
}

fn cpython(
    code: &str,
    args: &Value,
    ctx: &mut CellCtx<'_, '_>,
    bounds: Bounds,
    proxy: Option<u16>,
) -> Result<Value, Failure> {
    let words = metnos_python::cpython::command();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if !lab::without(Layer::EnvClear) {
        command.env_clear().env("TMPDIR", PRIVATE_TMP);
    }
    if let Some(port) = proxy {
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env(name, format!("http://127.0.0.1:{port}"));
        }
    }
    let mut child = command.spawn().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::new(ErrorClass::DependencyMissing, "python3 is not installed")
                .with_hint("sudo apt-get install -y python3")
        }
        _ => Failure::io(words[0], &e),
    })?;
    metnos_python::cpython::run_child(&mut child, code, args, ctx, bounds)
}

fn read_text(file: File) -> Result<String, Failure> {
    let mut text = String::new();
    let mut file = file;
    file.read_to_string(&mut text).map_err(|e| Failure::io("the code", &e))?;
    Ok(text)
}

fn list(file: File, name: &str, origin: &mut Origin) -> Result<Value, Failure> {
    let mut bytes = Vec::new();
    file.take(LIST_MAX + 1).read_to_end(&mut bytes).map_err(|e| Failure::io(name, &e))?;
    if bytes.len() as u64 > LIST_MAX {
        return Err(Failure::limit("entries", format!("{name} is over {} MiB", LIST_MAX >> 20)));
    }
    let items = bytes
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice::<Value>(line).map_err(|e| Failure::wrong_args(format!("{name}: {e}")))
        })
        .collect::<Result<Vec<Value>, Failure>>()?;
    *origin = items.iter().map(Origin::of).fold(*origin, Origin::join);
    Ok(Value::Array(items))
}

/// One credential that came with the call.
#[derive(serde::Deserialize)]
struct Credential {
    name: String,
    fields: Map<String, Value>,
}

fn credentials(file: File) -> Result<Vec<Credential>, Failure> {
    let text = read_text(file)?;
    // The reason would quote the line.
    let broken = |_| Failure::internal("the credentials of this call cannot be read");
    text.lines().map(|line| serde_json::from_str(line).map_err(broken)).collect()
}

/// Splits what `run` returned into items and outcome. An executor cannot declare its items more
/// trusted than what it was made from.
fn deliver(answer: Value, call: &mut Call<'_>, floor: Origin) -> Result<(), Failure> {
    let Value::Object(mut answer) = answer else {
        return Err(Failure::internal("run() did not return a dict"));
    };
    let items = match (answer.remove("entries"), answer.remove("results")) {
        (Some(Value::Array(items)), None) | (None, Some(Value::Array(items))) => items,
        (None, None) => Vec::new(),
        _ => return Err(Failure::internal("run() must return one list called entries or results")),
    };
    call.outcome.ok_count = items.len() as u64;
    for item in items {
        let Value::Object(mut item) = item else {
            return Err(Failure::internal("an item is not a dict"));
        };
        let said = Origin::of(&Value::Object(item.clone()));
        let origin = if lab::without(Layer::OriginFloor) { said } else { said.join(floor) };
        item.remove("_origin");
        call.emit(&item, origin)?;
    }
    absorb(answer, &mut call.outcome)
}

/// The standard fields an executor may set itself, checked; anything else is a scalar of its own.
fn absorb(answer: Map<String, Value>, outcome: &mut Outcome) -> Result<(), Failure> {
    for (key, value) in answer {
        let wrong = || Failure::internal(format!("run() returned a wrong {key}"));
        match key.as_str() {
            "ok" | "partial" | "claimed" => {}
            "ok_count" => outcome.ok_count = value.as_u64().ok_or_else(wrong)?,
            "fail_count" => outcome.fail_count = value.as_u64().ok_or_else(wrong)?,
            "failed" => outcome.failed = serde_json::from_value(value).map_err(|_| wrong())?,
            "error" => outcome.error = serde_json::from_value(value).map_err(|_| wrong())?,
            _ => {
                outcome.fields.insert(key, value);
            }
        }
    }
    outcome.failed.truncate(Outcome::FAILED_SHOWN);
    outcome.fail_count = outcome.fail_count.max(outcome.failed.len() as u64);
    Ok(())
}

/// The world as a Python executor sees it.
struct CellCtx<'r, 'c> {
    fence: &'r FenceWire,
    now: &'r str,
    call: &'r mut Call<'c>,
    egress: Option<Egress>,
    origin: Origin,
    credentials: Vec<Credential>,
}

impl CellCtx<'_, '_> {
    /// The host's own check; Landlock makes the same decision again, from the same fence.
    fn allowed(&self, path: &Path, write: bool) -> Result<(), Failure> {
        if lab::without(Layer::HostCheck) {
            return Ok(());
        }
        let denied =
            |why: &str| Failure::new(ErrorClass::PermissionDenied, format!("{}: {why}", path.display()));
        if !path.is_absolute() || path.components().any(|c| c == Component::ParentDir) {
            return Err(denied("paths are absolute and without `..`"));
        }
        let inside = |grants: &[metnos_executor::wire::Grant]| {
            grants.iter().any(|g| match g.reach {
                Reach::File | Reach::Names => path == g.path.0,
                Reach::Tree => path.starts_with(&g.path.0),
            })
        };
        if path.starts_with(PRIVATE_TMP) || inside(&self.fence.write) || (!write && inside(&self.fence.read))
        {
            return Ok(());
        }
        Err(denied("outside the fence of this call"))
    }
}

impl Ctx for CellCtx<'_, '_> {
    fn read_text(&mut self, path: &Path) -> Result<String, Failure> {
        let bytes = self.read_bytes(path)?;
        String::from_utf8(bytes).map_err(|_| {
            Failure::new(ErrorClass::UnsupportedFormat, format!("{}: not UTF-8 text", path.display()))
        })
    }

    fn read_bytes(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        self.allowed(path, false)?;
        self.origin = self.origin.join(Origin::Content);
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let mut bytes = Vec::new();
        File::open(path).map_err(io)?.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > FILE_MAX {
            return Err(Failure::new(
                ErrorClass::TooLarge,
                format!("{}: over {} MiB", path.display(), FILE_MAX >> 20),
            ));
        }
        Ok(bytes)
    }

    fn write_text(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        self.allowed(path, true)?;
        // Into the layer: what becomes of it is told and done when the code has ended.
        let open = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(path);
        let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| match e.raw_os_error() {
            Some(libc::ENOSPC) => Failure::limit(SPACE, format!("{}: no space left", path.display())),
            Some(libc::ELOOP) => {
                let why = format!("{}: a symbolic link, not a file", path.display());
                Failure::new(ErrorClass::PermissionDenied, why)
            }
            _ => Failure::io(path.display(), &e),
        })
    }

    fn list_dir(&mut self, path: &Path) -> Result<Vec<Named>, Failure> {
        self.allowed(path, false)?;
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        std::fs::read_dir(path)
            .map_err(io)?
            .map(|entry| {
                let entry = entry.map_err(io)?;
                Ok(Named { name: entry.file_name(), kind: kind(entry.file_type().map_err(io)?) })
            })
            .collect()
    }

    fn stat(&mut self, path: &Path) -> Result<Stat, Failure> {
        self.allowed(path, false)?;
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let meta = std::fs::symlink_metadata(path).map_err(io)?;
        let mtime = meta.modified().map_err(io)?;
        let mtime = jiff::Timestamp::try_from(mtime).map_err(|e| Failure::internal(e.to_string()))?;
        Ok(Stat { kind: kind(meta.file_type()), size: meta.len(), mtime: mtime.to_string() })
    }

    fn now(&mut self) -> Result<String, Failure> {
        Ok(self.now.split('[').next().unwrap_or_default().to_owned())
    }

    fn progress(&mut self, done: u64, total: Option<u64>) -> Result<(), Failure> {
        self.call.progress(done, total, "steps")
    }

    fn fetch(&mut self, url: &str) -> Result<Fetched, Failure> {
        self.origin = self.origin.join(Origin::Web);
        match &self.egress {
            Some(egress) => egress.fetch(url),
            None => Err(Failure::new(ErrorClass::PolicyViolation, "this executor's profile has no network")),
        }
    }

    fn credential(&mut self, name: &str) -> Result<Vec<(String, String)>, Failure> {
        let found = self.credentials.iter().find(|known| known.name == name).ok_or_else(|| {
            Failure::new(
                ErrorClass::Unauthorized,
                format!("the manifest of this executor does not name {name}"),
            )
        })?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(found.fields.iter().map(|(field, value)| (field.clone(), text(value))).collect())
    }

    fn log(&mut self, text: &str) {
        crate::complain(text);
    }
}

fn kind(kind: std::fs::FileType) -> Kind {
    match () {
        () if kind.is_file() => Kind::File,
        () if kind.is_dir() => Kind::Dir,
        () if kind.is_symlink() => Kind::Link,
        () => Kind::Other,
    }
}
