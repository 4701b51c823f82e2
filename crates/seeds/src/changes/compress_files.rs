//! `compress_files`: puts files and directories into a new archive.
//!
//! Names are stored relative to the parent all sources share. Mode and time are kept, links stay
//! links, special files are left out and counted. Everything streams.

use super::archive::{Kind, open_regular};
use super::items::{done, failed, items, result};
use super::tree::{Seen, walk};
use crate::call::Call;
use metnos_executor::formats::for_archive;
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op, Origin, WriteMode};
use serde::Deserialize;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use zip::ZipWriter;
use zip::write::{ExtendedFileOptions, FileOptions, StreamWriter};

#[derive(Deserialize)]
struct Args {
    dst: BytePath,
    format: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    File,
    Dir,
    Link,
}

/// One thing to store.
struct Member {
    index: u64,
    path: PathBuf,
    name: Vec<u8>,
    what: What,
    mode: u32,
    mtime: i64,
}

/// What the archive ended up with.
#[derive(Default)]
struct Tally {
    files: u64,
    dirs: u64,
    links: u64,
    skipped: u64,
    bytes: u64,
    failed: Vec<(u64, PathBuf, Failure)>,
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let dst = args.dst.0;
    let kind = for_archive(&dst, args.format)?;
    let (members, special, origin) = collect(call, &dst)?;
    if members.is_empty() {
        return Ok(());
    }
    let op = Op::Write { dst: BytePath(dst.clone()), mode: WriteMode::Create };
    let mut hands = call.intent(Intent { ops: vec![op] })?;
    let mut tally = Tally::default();
    let zone = call.now.time_zone().clone();
    let total = members.len() as u64;
    let written = hands.write(0, |w| {
        // A second attempt after a failed sync counts afresh.
        tally = Tally::default();
        let mut packer = Packer::new(kind, w, &zone)?;
        for (n, member) in members.iter().enumerate() {
            call.progress(n as u64, Some(total), "files").map_err(io::Error::other)?;
            packer.add(member, &mut tally)?;
        }
        packer.finish()
    });
    for (index, path, failure) in &tally.failed {
        failed(call, *index, path, failure);
    }
    match written {
        Ok(written) => {
            let mut record = result("path", &dst);
            record.insert("format".into(), kind.as_str().into());
            record.insert("size".into(), written.bytes.into());
            record.insert("hash".into(), written.blake3.into());
            record.insert("files".into(), tally.files.into());
            record.insert("dirs".into(), tally.dirs.into());
            record.insert("links".into(), tally.links.into());
            record.insert("skipped".into(), tally.skipped.saturating_add(special).into());
            record.insert("unpacked_size".into(), tally.bytes.into());
            done(call, record, origin)?;
        }
        Err(failure) if failure.class == ErrorClass::Cancelled => return Err(failure),
        Err(failure) => failed(call, 0, &dst, &failure),
    }
    hands.finish()
}

/// Everything to store, each path once, the archive itself left out; how many special files were
/// passed over; and the least trusted origin.
fn collect(call: &mut Call<'_>, dst: &Path) -> Result<(Vec<Member>, u64, Origin), Failure> {
    let roots = items(call, |_| ())?;
    let base = common_parent(roots.iter().map(|item| item.path.as_path()));
    let (mut members, mut seen, mut special) = (Vec::new(), HashSet::new(), 0u64);
    let mut origin = Origin::User;
    for root in roots {
        origin = origin.join(root.origin);
        let meta = match std::fs::symlink_metadata(&root.path) {
            Ok(meta) => meta,
            Err(e) => {
                let failure = Failure::io(root.path.display(), &e);
                failed(call, root.index, &root.path, &failure);
                continue;
            }
        };
        let mut add = |call: &mut Call<'_>, path: PathBuf, meta: std::fs::Metadata| {
            let kind = meta.file_type();
            let what = match () {
                () if path == dst || seen.contains(&path) => return Ok(()),
                () if kind.is_dir() => What::Dir,
                () if kind.is_file() => What::File,
                () if kind.is_symlink() => What::Link,
                () => {
                    special = special.saturating_add(1);
                    return Ok(());
                }
            };
            seen.insert(path.clone());
            let name = path.strip_prefix(&base).unwrap_or(&path).as_os_str().as_bytes().to_vec();
            // The root of the file system has no name to store.
            if !name.is_empty() {
                let (mode, mtime) = (meta.mode() & 0o777, meta.mtime());
                members.push(Member { index: root.index, path, name, what, mode, mtime });
            }
            if seen.len().is_multiple_of(1024) {
                return call.progress(seen.len() as u64, None, "files looked at");
            }
            Ok(())
        };
        if !meta.is_dir() {
            add(call, root.path.clone(), meta)?;
            continue;
        }
        walk(&root.path, &mut |found| match found {
            Seen::Node(path, meta) => add(call, path, meta),
            Seen::Mount(path) => {
                let message = format!("{}: another file system, not entered", path.display());
                failed(call, root.index, &path, &Failure::new(ErrorClass::Conflict, message));
                Ok(())
            }
            Seen::Trouble(path, e) => {
                failed(call, root.index, &path, &Failure::io(path.display(), &e));
                Ok(())
            }
        })?;
    }
    Ok((members, special, origin))
}

/// The directory that holds all of `paths`.
fn common_parent<'p>(paths: impl Iterator<Item = &'p Path>) -> PathBuf {
    let mut common: Option<PathBuf> = None;
    for path in paths {
        let parent = path.parent().unwrap_or(path);
        common = Some(match common {
            None => parent.to_path_buf(),
            Some(so_far) => {
                let shared = so_far.components().zip(parent.components()).take_while(|(a, b)| a == b);
                shared.map(|(a, _)| a).collect()
            }
        });
    }
    common.unwrap_or_default()
}

/// An archive being written.
enum Packer<'w> {
    Zip(Box<ZipWriter<StreamWriter<&'w mut dyn Write>>>, jiff::tz::TimeZone),
    TarGz(tar::Builder<flate2::write::GzEncoder<&'w mut dyn Write>>),
    TarZst(tar::Builder<zstd::stream::write::Encoder<'static, &'w mut dyn Write>>),
    Tar(tar::Builder<&'w mut dyn Write>),
}

impl<'w> Packer<'w> {
    fn new(kind: Kind, w: &'w mut dyn Write, zone: &jiff::tz::TimeZone) -> io::Result<Self> {
        Ok(match kind {
            Kind::Zip => Self::Zip(Box::new(ZipWriter::new_stream(w)), zone.clone()),
            Kind::TarGz => Self::TarGz(tar::Builder::new(flate2::write::GzEncoder::new(
                w,
                flate2::Compression::default(),
            ))),
            Kind::TarZst => Self::TarZst(tar::Builder::new(zstd::stream::write::Encoder::new(w, 3)?)),
            Kind::Tar => Self::Tar(tar::Builder::new(w)),
        })
    }

    /// Stores one member. What cannot be read is noted; only a failing archive is an error.
    fn add(&mut self, member: &Member, tally: &mut Tally) -> io::Result<()> {
        match member.what {
            What::Dir => {
                if self.add_dir(member)? {
                    tally.dirs = tally.dirs.saturating_add(1);
                } else {
                    tally.skipped = tally.skipped.saturating_add(1);
                }
            }
            What::Link => match std::fs::read_link(&member.path) {
                Ok(target) if self.add_link(member, &target)? => tally.links = tally.links.saturating_add(1),
                Ok(_) => tally.skipped = tally.skipped.saturating_add(1),
                Err(e) => tally.fail(member, Failure::io(member.path.display(), &e)),
            },
            What::File => {
                let opened = open_regular(&member.path).and_then(|file| Ok((file.metadata()?.len(), file)));
                let (size, file) = match opened {
                    Ok(opened) => opened,
                    Err(e) => {
                        tally.fail(member, Failure::io(member.path.display(), &e));
                        return Ok(());
                    }
                };
                let mut content = Content { inner: file, left: size, trouble: None };
                self.add_file(member, size, &mut content)?;
                match content.trouble {
                    Some(e) => {
                        let message = format!("{}: stored incomplete: {e}", member.path.display());
                        tally.fail(member, Failure::new(ErrorClass::Conflict, message));
                    }
                    None => {
                        tally.files = tally.files.saturating_add(1);
                        tally.bytes = tally.bytes.saturating_add(size);
                    }
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, member: &Member, size: u64, content: &mut Content) -> io::Result<()> {
        if let Self::Zip(zip, zone) = self {
            // Names are bytes; a streamed member beyond four gigabytes must say so beforehand.
            let options = options(member, zone)?.large_file(size >= u64::from(u32::MAX) - (1 << 20));
            zip.start_file_with_options(options.name(&member.name))?;
            return io::copy(content, zip).map(|_| ());
        }
        let mut header = header(member, tar::EntryType::Regular);
        header.set_size(size);
        self.tar(|tar| tar.append_data(&mut header, &member.name, content))
    }

    /// False when this kind of archive cannot hold the name; its files still bring the directory.
    fn add_dir(&mut self, member: &Member) -> io::Result<bool> {
        if let Self::Zip(zip, zone) = self {
            let Ok(name) = std::str::from_utf8(&member.name) else { return Ok(false) };
            zip.add_directory(name, options(member, zone)?)?;
            return Ok(true);
        }
        let mut header = header(member, tar::EntryType::Directory);
        self.tar(|tar| tar.append_data(&mut header, &member.name, &mut io::empty()))?;
        Ok(true)
    }

    /// False when this kind of archive cannot hold the name or the target.
    fn add_link(&mut self, member: &Member, target: &Path) -> io::Result<bool> {
        if let Self::Zip(zip, zone) = self {
            let (Ok(name), Some(target)) = (std::str::from_utf8(&member.name), target.to_str()) else {
                return Ok(false);
            };
            zip.add_symlink(name, target, options(member, zone)?)?;
            return Ok(true);
        }
        let mut header = header(member, tar::EntryType::Symlink);
        self.tar(|tar| tar.append_link(&mut header, &member.name, target))?;
        Ok(true)
    }

    fn tar(&mut self, act: impl FnOnce(&mut dyn TarSink) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Zip(..) => Err(io::Error::other("a zip is not a tar")),
            Self::TarGz(tar) => act(tar),
            Self::TarZst(tar) => act(tar),
            Self::Tar(tar) => act(tar),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Zip(zip, _) => zip.finish().map(|_| ()).map_err(io::Error::from),
            Self::TarGz(tar) => tar.into_inner()?.finish().map(|_| ()),
            Self::TarZst(tar) => tar.into_inner()?.finish().map(|_| ()),
            Self::Tar(tar) => tar.into_inner().map(|_| ()),
        }
    }
}

/// A tar builder, whatever packs its bytes.
trait TarSink {
    fn append_data(
        &mut self,
        header: &mut tar::Header,
        name: &[u8],
        content: &mut dyn Read,
    ) -> io::Result<()>;
    fn append_link(&mut self, header: &mut tar::Header, name: &[u8], target: &Path) -> io::Result<()>;
}

impl<W: Write> TarSink for tar::Builder<W> {
    fn append_data(
        &mut self,
        header: &mut tar::Header,
        name: &[u8],
        content: &mut dyn Read,
    ) -> io::Result<()> {
        self.append_data(header, OsStr::from_bytes(name), content)
    }
    fn append_link(&mut self, header: &mut tar::Header, name: &[u8], target: &Path) -> io::Result<()> {
        self.append_link(header, OsStr::from_bytes(name), target)
    }
}

fn header(member: &Member, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(member.mode);
    header.set_mtime(u64::try_from(member.mtime).unwrap_or(0));
    header.set_size(0);
    header
}

/// Mode and time; the time both as zip has always written it and, exactly, as an extra field.
fn options(
    member: &Member,
    zone: &jiff::tz::TimeZone,
) -> io::Result<FileOptions<'static, 'static, ExtendedFileOptions>> {
    let mut options = FileOptions::<ExtendedFileOptions>::default().unix_permissions(member.mode);
    if let Some(time) = dos_time(member.mtime, zone) {
        options = options.last_modified_time(time);
    }
    if let Ok(seconds) = u32::try_from(member.mtime) {
        let [a, b, c, d] = seconds.to_le_bytes();
        options.add_extra_field(0x5455, [1, a, b, c, d], false)?;
    }
    Ok(options)
}

fn dos_time(mtime: i64, zone: &jiff::tz::TimeZone) -> Option<zip::DateTime> {
    let at = jiff::Timestamp::from_second(mtime).ok()?.to_zoned(zone.clone());
    zip::DateTime::from_date_and_time(
        u16::try_from(at.year()).ok()?,
        u8::try_from(at.month()).ok()?,
        u8::try_from(at.day()).ok()?,
        u8::try_from(at.hour()).ok()?,
        u8::try_from(at.minute()).ok()?,
        u8::try_from(at.second()).ok()?,
    )
    .ok()
}

/// Exactly the announced number of bytes of a file: a tar announces the size before the content,
/// so a file that shrinks or breaks meanwhile is filled up with zeros and noted.
struct Content {
    inner: std::fs::File,
    left: u64,
    trouble: Option<io::Error>,
}

impl Read for Content {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        let Some(room) = buf.get_mut(..most).filter(|room| !room.is_empty()) else { return Ok(0) };
        let n = match self.trouble {
            Some(_) => 0,
            None => match self.inner.read(room) {
                Ok(0) => {
                    self.trouble = Some(io::Error::other("it shrank while it was read"));
                    0
                }
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => return Err(e),
                Err(e) => {
                    self.trouble = Some(e);
                    0
                }
            },
        };
        let n = if n == 0 {
            room.fill(0);
            room.len()
        } else {
            n
        };
        self.left = self.left.saturating_sub(n as u64);
        Ok(n)
    }
}

impl Tally {
    fn fail(&mut self, member: &Member, failure: Failure) {
        self.failed.push((member.index, member.path.clone(), failure));
    }
}
