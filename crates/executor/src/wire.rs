//! The framed dialogue between the daemon and a cell.
//!
//! `request → (intent → go)* → progress* / cancel → result`. A frame is sixteen bytes (kind,
//! header length, body length), a JSON header, and a body of newline JSON. Bodies above
//! [`INLINE_MAX`] travel as a sealed memory file passed by descriptor instead.
//! Neither side trusts the other's lengths: both are bounded before anything is allocated.

use crate::failure::Failure;
use crate::lab::{self, Layer};
use crate::outcome::{ListName, Outcome};
use crate::path::BytePath;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// The longest header either side accepts.
pub const HEADER_MAX: u32 = 4 << 20;
/// Bodies up to this size travel inside the frame.
pub const INLINE_MAX: usize = 64 << 10;
/// The version of the system call table (`crates/host/data/seccomp.toml`); part of every profile lock.
pub const SECCOMP_TABLE: u32 = 2;
/// The cell's own folder for scratch. Not `/tmp` itself: a right on a folder covers everything
/// below it, also a root of the territory that happens to lie under the real `/tmp`.
pub const PRIVATE_TMP: &str = "/tmp/.cell";
/// Where the private layer of a Python changer is mounted while it is built.
pub const LAYER_DIR: &str = "/tmp/.layer";
/// How the host calls a bound that only the process beside it can name: the layer or the private `/tmp`.
pub const SPACE: &str = "space";
/// What `doctor` asks the host to run; no executor can be called so.
pub const PROBE: &str = "@probe";
/// What `admin` asks the host to run; no executor can be called so.
pub const PROGRAM: &str = "@program";
/// The most descriptors one frame may carry.
pub const FDS_MAX: usize = 8;

/// Which step of the dialogue a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// Daemon → cell: do this.
    Request = 1,
    /// Cell → daemon: this is exactly what I am about to do.
    Intent = 2,
    /// Daemon → cell: it is durable, act.
    Go = 3,
    /// Cell → daemon: how far I am.
    Progress = 4,
    /// Daemon → cell: stop at the next safe point.
    Cancel = 5,
    /// Cell → daemon: the end.
    Result = 6,
    /// Cell → daemon: the cell is built and waits for its call.
    Ready = 7,
}

impl Kind {
    fn from_wire(n: u32) -> Option<Self> {
        [Self::Request, Self::Intent, Self::Go, Self::Progress, Self::Cancel, Self::Result, Self::Ready]
            .into_iter()
            .find(|k| *k as u32 == n)
    }
}

/// Which language an executor is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runtime {
    /// Rust inside the host.
    Native,
    /// The embedded interpreter inside the host.
    Python,
    /// The system's `python3 -I`, a child of the host.
    Cpython,
}

/// Which system calls a cell has beyond those of every cell. It follows from the signed profile, so
/// a cell can close its filter before it knows its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Calls {
    /// More than one process or thread.
    pub threads: bool,
    /// Running programs.
    pub exec: bool,
    /// Connecting to the forwarder on the cell's own loopback.
    pub net: bool,
    /// Running its code under a private writable layer, apart from the process that changes files.
    pub layer: bool,
}

impl Calls {
    /// What a call needs.
    pub fn of(runtime: Runtime, limits: &Limits, runs_programs: bool, net: bool, changes: bool) -> Self {
        let cpython = runtime == Runtime::Cpython;
        Self {
            threads: limits.processes > 1,
            exec: cpython || runs_programs,
            net: cpython && net,
            layer: runtime != Runtime::Native && changes,
        }
    }

    /// As words of the host's command line.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let named =
            [(self.threads, "threads"), (self.exec, "exec"), (self.net, "net"), (self.layer, "layer")];
        named.into_iter().filter(|(has, _)| *has).map(|(_, word)| word)
    }

    /// From words; `None` when one means nothing.
    pub fn from_words<'a>(words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut calls = Self::default();
        for word in words {
            *match word {
                "threads" => &mut calls.threads,
                "exec" => &mut calls.exec,
                "net" => &mut calls.net,
                "layer" => &mut calls.layer,
                _ => return None,
            } = true;
        }
        Some(calls)
    }
}

/// What a cell is started for; the first word of the host's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A call that waits for it.
    Now,
    /// A call that will come: it makes ready what it can, and waits.
    Ahead,
}

impl Start {
    /// As the word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Now => "cell",
            Self::Ahead => "waiting-cell",
        }
    }

    /// From the word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Now, Self::Ahead].into_iter().find(|start| start.word() == word)
    }
}

/// What a descriptor that came with a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FdRole {
    /// The input list (`entries`), newline JSON, sealed.
    Entries,
    /// The second input list (`with`), newline JSON, sealed.
    With,
    /// The executor's verified code, sealed.
    Code,
    /// The connected end of the egress proxy.
    Proxy,
    /// The credentials the profile names, newline JSON, sealed.
    Credentials,
}

/// Bounds of one call. Zero never means "none": every field binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall time.
    pub wall_ms: u64,
    /// Processor time.
    pub cpu_ms: u64,
    /// Resident and shared memory of all processes in the cell.
    pub memory_mb: u64,
    /// The answer.
    pub output_kb: u64,
    /// Processes and threads.
    pub processes: u32,
    /// Open descriptors.
    pub files: u32,
    /// The private `/tmp`.
    pub tmp_mb: u64,
    /// The private layer over the folders that a Python executor may change: bytes,
    pub layer_mb: u64,
    /// and names, those that it removes among them.
    pub layer_files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 30_000,
            cpu_ms: 30_000,
            memory_mb: 256,
            output_kb: 4096,
            processes: 1,
            files: 256,
            tmp_mb: 64,
            layer_mb: 256,
            layer_files: 10_000,
        }
    }
}

/// One path of a fence, tied to the file it named when the daemon resolved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Absolute, no symbolic link in it.
    pub path: BytePath,
    /// Device and inode, so that a path swapped meanwhile is noticed.
    pub id: (u64, u64),
    /// What it covers.
    pub reach: Reach,
}

/// How far a grant goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// This file and no other.
    File,
    /// This directory and everything below.
    Tree,
    /// The names in this directory, not the content of its files.
    Names,
}

/// What one call may touch, as the host applies it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FenceWire {
    /// May be read.
    pub read: Vec<Grant>,
    /// May be written.
    pub write: Vec<Grant>,
    /// Where what a Python executor takes away is kept: for the process that changes files, not for the
    /// executor's code.
    #[serde(default)]
    pub keep: Vec<Grant>,
    /// May be run.
    pub exec: Vec<BytePath>,
    /// Directories to create (after a durable intent) before the fence closes; parents first.
    pub make_dirs: Vec<BytePath>,
    /// True when the profile has any `net` pattern.
    pub net: bool,
    /// May use the system's own programs and libraries.
    #[serde(default)]
    pub system: bool,
}

/// The call itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Idempotency key.
    pub call_id: String,
    /// `verb_object…`.
    pub executor: String,
    /// Its version.
    pub version: String,
    /// How it runs.
    pub runtime: Runtime,
    /// Arguments that satisfied the schema, defaults filled in, paths resolved.
    pub args: Map<String, Value>,
    /// What it may touch.
    pub fence: FenceWire,
    /// What it may use.
    pub limits: Limits,
    /// The classes it may fail with.
    pub error_classes: Vec<crate::failure::ErrorClass>,
    /// True when it changes the world, so that it must send an intent.
    pub side_effects: bool,
    /// The moment the call was made, RFC 3339 with zone: the only clock a cell has.
    pub now: String,
    /// `en`, `it`, …
    pub lang: String,
    /// Roles of the descriptors that follow, in order.
    pub fds: Vec<FdRole>,
}

impl Request {
    /// The system calls it needs.
    pub fn calls(&self) -> Calls {
        let changes = !self.fence.write.is_empty();
        Calls::of(self.runtime, &self.limits, !self.fence.exec.is_empty(), self.fence.net, changes)
    }
}

/// How far a long call is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    pub total: Option<u64>,
    /// What a unit is: `files`, `bytes`, `entries`.
    pub unit: String,
}

/// The header of a result; the list is the frame's body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Everything but the list.
    pub outcome: Outcome,
    /// How the list is called.
    pub list: ListName,
    /// How many lines the body has.
    pub items: u64,
}

/// The answer of the daemon to an intent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Go {
    /// Absent: act. Present: do not, and fail with this.
    pub refused: Option<Failure>,
    /// How to act.
    #[serde(flatten)]
    pub permit: crate::op::Permit,
}

/// What a cell asks of the egress proxy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// A name or an address.
    pub host: String,
    /// Never 0.
    pub port: u16,
}

/// The proxy's answer; a connected stream comes along when it is granted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Granted {
    /// Why not.
    pub refused: Option<Failure>,
}

/// A frame as received.
#[derive(Debug)]
pub struct Frame {
    /// Which step.
    pub kind: Kind,
    /// JSON.
    pub header: Vec<u8>,
    /// Newline JSON that fitted inside the frame.
    pub body: Vec<u8>,
    /// Descriptors that came along. When the body travelled as a file, it is the last.
    pub fds: Vec<OwnedFd>,
    /// True when the body travelled as a file.
    pub body_in_file: bool,
}

impl Frame {
    /// The header as `T`.
    pub fn header<T: for<'de> Deserialize<'de>>(&self) -> io::Result<T> {
        serde_json::from_slice(&self.header)
            .map_err(|e| invalid(format!("{}{e}", crate::versions::UNREAD_FRAME)))
    }
}

/// The body of a frame to send.
pub enum Body<'a> {
    /// Newline JSON, at most [`INLINE_MAX`] bytes.
    Inline(&'a [u8]),
    /// A sealed memory file.
    File(BorrowedFd<'a>),
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// Sends one frame. `fds` go before the body's own descriptor.
pub fn send<T: Serialize>(
    to: &UnixStream,
    kind: Kind,
    header: &T,
    body: Body<'_>,
    fds: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let header = serde_json::to_vec(header).map_err(|e| invalid(e.to_string()))?;
    if header.len() > HEADER_MAX as usize {
        return Err(invalid(format!("a frame header of {} bytes is over the limit", header.len())));
    }
    let (inline, file): (&[u8], Option<BorrowedFd<'_>>) = match body {
        Body::Inline(bytes) if bytes.len() > INLINE_MAX => {
            return Err(invalid("an inline body over the limit"));
        }
        Body::Inline(bytes) => (bytes, None),
        Body::File(fd) => (&[], Some(fd)),
    };
    let all: Vec<BorrowedFd<'_>> = fds.iter().copied().chain(file).collect();
    if all.len() > FDS_MAX {
        return Err(invalid("too many descriptors for one frame"));
    }
    let mut prefix = [0u8; 16];
    prefix[0..4].copy_from_slice(&(kind as u32).to_le_bytes());
    prefix[4..8].copy_from_slice(&(header.len() as u32).to_le_bytes());
    prefix[8..12].copy_from_slice(&(inline.len() as u32).to_le_bytes());
    prefix[12..16].copy_from_slice(&u32::from(file.is_some()).to_le_bytes());

    let mut message = Vec::with_capacity(16 + header.len() + inline.len());
    message.extend_from_slice(&prefix);
    message.extend_from_slice(&header);
    message.extend_from_slice(inline);

    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !all.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(&all)) {
        return Err(invalid("descriptors do not fit"));
    }
    let sent = loop {
        match rustix::net::sendmsg(to, &[IoSlice::new(&message)], &mut ancillary, SendFlags::NOSIGNAL) {
            Err(rustix::io::Errno::INTR) => continue,
            other => break other?,
        }
    };
    // The descriptors went with the first byte; the rest is plain stream.
    let mut to = to;
    to.write_all(&message[sent..])
}

/// Receives one frame; `Ok(None)` when the other side is gone between frames.
pub fn receive(from: &UnixStream) -> io::Result<Option<Frame>> {
    let mut prefix = [0u8; 16];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = loop {
        match rustix::net::recvmsg(
            from,
            &mut [IoSliceMut::new(&mut prefix)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        ) {
            Err(rustix::io::Errno::INTR) => continue,
            other => break other?.bytes,
        }
    };
    let mut fds = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            fds.extend(received);
        }
    }
    if got == 0 {
        return Ok(None);
    }
    let mut from = from;
    from.read_exact(&mut prefix[got..])?;
    let word = |i: usize| u32::from_le_bytes([prefix[i], prefix[i + 1], prefix[i + 2], prefix[i + 3]]);
    let kind = Kind::from_wire(word(0)).ok_or_else(|| invalid(format!("unknown frame kind {}", word(0))))?;
    let (header_len, body_len, in_file) = (word(4), word(8), word(12));
    if header_len > HEADER_MAX || body_len as usize > INLINE_MAX || in_file > 1 {
        return Err(invalid("a frame announces more than the protocol allows"));
    }
    let mut header = vec![0; header_len as usize];
    from.read_exact(&mut header)?;
    let mut body = vec![0; body_len as usize];
    from.read_exact(&mut body)?;
    if in_file == 1 && fds.is_empty() {
        return Err(invalid("a frame announces a file and brings none"));
    }
    Ok(Some(Frame { kind, header, body, fds, body_in_file: in_file == 1 }))
}

/// A memory file that can still be written.
pub fn memory_file(name: &str) -> io::Result<std::fs::File> {
    use rustix::fs::MemfdFlags;
    let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    Ok(std::fs::File::from(fd))
}

/// Makes a memory file unchangeable by anyone, including its writer.
pub fn seal(file: &impl AsFd) -> io::Result<()> {
    use rustix::fs::SealFlags;
    if lab::without(Layer::Seal) {
        return Ok(());
    }
    let all = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    let mut tries = 0;
    loop {
        match rustix::fs::fcntl_add_seals(file, all) {
            // The kernel itself holds a page of it for a moment: it moves or tidies memory.
            Err(rustix::io::Errno::BUSY) if tries < SEAL_TRIES => tries += 1,
            done => return Ok(done?),
        }
    }
}

/// How often a memory file is sealed before it counts as one that somebody still writes to.
const SEAL_TRIES: u32 = 5;

/// Accepts a received memory file only if it is sealed and at most `max` bytes long.
pub fn accept_sealed(fd: OwnedFd, max: u64) -> io::Result<std::fs::File> {
    use rustix::fs::SealFlags;
    let need = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK;
    let have =
        rustix::fs::fcntl_get_seals(&fd).map_err(|_| invalid("a descriptor that is not a memory file"))?;
    if !have.contains(need) && !lab::without(Layer::Seal) {
        return Err(invalid("a memory file that is not sealed"));
    }
    let size = rustix::fs::fstat(&fd)?.st_size as u64;
    if size > max && !lab::without(Layer::OutputBound) {
        return Err(invalid(format!("a memory file of {size} bytes where {max} are allowed")));
    }
    Ok(std::fs::File::from(fd))
}
