//! What the kernel asks, answered from the store.

use super::power::Power;
use super::store::{Kind, Node, Store};
use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen,
    ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The kernel may remember everything: nobody else changes this disk, and each loss mounts it anew.
const TTL: Duration = Duration::from_secs(3600);

/// A mounted store.
pub(super) struct Forgetful {
    pub(super) store: Arc<Mutex<Store>>,
    pub(super) power: Arc<Power>,
}

type Answer<T> = Result<T, Errno>;

impl Forgetful {
    /// For looking.
    fn read(&self) -> Answer<MutexGuard<'_, Store>> {
        match self.power.is_off() {
            true => Err(Errno::EIO),
            false => Ok(self.store.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// For changing: this is what power losses count.
    fn change(&self) -> Answer<MutexGuard<'_, Store>> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        match self.power.change() {
            true => Ok(store),
            false => Err(Errno::EIO),
        }
    }

    /// A new node with a name that must be free.
    fn create_at(
        &self,
        req: &Request,
        parent: u64,
        name: &OsStr,
        kind: Kind,
        mode: u32,
        data: Vec<u8>,
    ) -> Answer<FileAttr> {
        let mut store = self.change()?;
        if !store.nodes.contains_key(&parent) {
            return Err(Errno::ENOENT);
        }
        if store.find(parent, name).is_some() {
            return Err(Errno::EEXIST);
        }
        let ino = store.make(kind, mode & 0o7777, (req.uid(), req.gid()), data);
        store.rename(&[(parent, name, Some(ino))]);
        attr(&store, ino)
    }

    fn remove(&self, parent: u64, name: &OsStr, dir: bool) -> Answer<()> {
        let mut store = self.change()?;
        let ino = store.find(parent, name).ok_or(Errno::ENOENT)?;
        let node = store.nodes.get(&ino).ok_or(Errno::ENOENT)?;
        match (dir, node.kind == Kind::Dir) {
            (true, false) => return Err(Errno::ENOTDIR),
            (false, true) => return Err(Errno::EISDIR),
            (true, true) if !node.names.is_empty() => return Err(Errno::ENOTEMPTY),
            _ => {}
        }
        store.rename(&[(parent, name, None)]);
        Ok(())
    }

    fn rename_at(&self, from: (u64, &OsStr), to: (u64, &OsStr), flags: RenameFlags) -> Answer<()> {
        let mut store = self.change()?;
        let ino = store.find(from.0, from.1).ok_or(Errno::ENOENT)?;
        let there = store.find(to.0, to.1);
        if flags.contains(RenameFlags::RENAME_EXCHANGE) {
            let there = there.ok_or(Errno::ENOENT)?;
            store.rename(&[(from.0, from.1, Some(there)), (to.0, to.1, Some(ino))]);
            return Ok(());
        }
        match there.and_then(|there| store.nodes.get(&there)) {
            Some(_) if flags.contains(RenameFlags::RENAME_NOREPLACE) => return Err(Errno::EEXIST),
            Some(node) if !node.names.is_empty() => return Err(Errno::ENOTEMPTY),
            _ if there == Some(ino) => return Ok(()),
            _ => {}
        }
        store.rename(&[(from.0, from.1, None), (to.0, to.1, Some(ino))]);
        Ok(())
    }

    fn write_at(&self, ino: u64, offset: u64, bytes: &[u8], by_kernel: bool) -> Answer<u32> {
        // Pages that the kernel writes back come at a moment of its own choosing.
        let mut store = if by_kernel { self.read()? } else { self.change()? };
        let node = store.nodes.get_mut(&ino).ok_or(Errno::ENOENT)?;
        let data = Arc::make_mut(&mut node.now.data);
        let start = usize::try_from(offset).map_err(|_| Errno::EFBIG)?;
        let end = start.saturating_add(bytes.len());
        if data.len() < end {
            data.resize(end, 0);
        }
        data.get_mut(start..end).ok_or(Errno::EIO)?.copy_from_slice(bytes);
        node.now.mtime = SystemTime::now();
        u32::try_from(bytes.len()).map_err(|_| Errno::EIO)
    }

    fn sync(&self, ino: u64) -> Answer<()> {
        self.change()?.sync(ino);
        Ok(())
    }
}

fn node(store: &Store, ino: u64) -> Answer<&Node> {
    store.nodes.get(&ino).ok_or(Errno::ENOENT)
}

fn attr(store: &Store, ino: u64) -> Answer<FileAttr> {
    let node = node(store, ino)?;
    let body = &node.now;
    let size = body.data.len() as u64;
    Ok(FileAttr {
        ino: INodeNo(ino),
        size,
        blocks: size.div_ceil(512),
        atime: body.atime,
        mtime: body.mtime,
        ctime: body.mtime,
        crtime: body.mtime,
        kind: kind(node.kind),
        perm: (body.mode & 0o7777) as u16,
        nlink: store.links(ino),
        uid: body.owner.0,
        gid: body.owner.1,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    })
}

fn kind(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::RegularFile,
        Kind::Dir => FileType::Directory,
        Kind::Link => FileType::Symlink,
    }
}

fn moment(time: TimeOrNow) -> SystemTime {
    match time {
        TimeOrNow::SpecificTime(at) => at,
        TimeOrNow::Now => SystemTime::now(),
    }
}

fn entered(reply: ReplyEntry, answer: Answer<FileAttr>) {
    match answer {
        Ok(attr) => reply.entry(&TTL, &attr, Generation(0)),
        Err(e) => reply.error(e),
    }
}

fn attributed(reply: ReplyAttr, answer: Answer<FileAttr>) {
    match answer {
        Ok(attr) => reply.attr(&TTL, &attr),
        Err(e) => reply.error(e),
    }
}

fn done(reply: ReplyEmpty, answer: Answer<()>) {
    match answer {
        Ok(()) => reply.ok(),
        Err(e) => reply.error(e),
    }
}

impl Filesystem for Forgetful {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let answer =
            self.read().and_then(|store| attr(&store, store.find(parent.0, name).ok_or(Errno::ENOENT)?));
        entered(reply, answer);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        attributed(reply, self.read().and_then(|store| attr(&store, ino.0)));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = || {
            let mut store = self.change()?;
            let body = &mut store.nodes.get_mut(&ino.0).ok_or(Errno::ENOENT)?.now;
            if let Some(size) = size {
                let size = usize::try_from(size).map_err(|_| Errno::EFBIG)?;
                Arc::make_mut(&mut body.data).resize(size, 0);
                body.mtime = SystemTime::now();
            }
            body.mode = mode.map_or(body.mode, |mode| mode & 0o7777);
            body.owner = (uid.unwrap_or(body.owner.0), gid.unwrap_or(body.owner.1));
            body.atime = atime.map_or(body.atime, moment);
            body.mtime = mtime.map_or(body.mtime, moment);
            attr(&store, ino.0)
        };
        attributed(reply, set());
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        match self.read().and_then(|store| Ok(node(&store, ino.0)?.now.data.clone())) {
            Ok(target) => reply.data(&target),
            Err(e) => reply.error(e),
        }
    }

    fn mkdir(&self, req: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        entered(reply, self.create_at(req, parent.0, name, Kind::Dir, mode, Vec::new()));
    }

    fn symlink(&self, req: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let target = target.as_os_str().as_bytes().to_vec();
        entered(reply, self.create_at(req, parent.0, name, Kind::Link, 0o777, target));
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        _: u32,
        reply: ReplyEntry,
    ) {
        entered(reply, self.create_at(req, parent.0, name, Kind::File, mode, Vec::new()));
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        match self.create_at(req, parent.0, name, Kind::File, mode, Vec::new()) {
            Ok(attr) => {
                reply.created(&TTL, &attr, Generation(0), FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
            }
            Err(e) => reply.error(e),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(reply, self.remove(parent.0, name, false));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(reply, self.remove(parent.0, name, true));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        done(reply, self.rename_at((parent.0, name), (newparent.0, newname), flags));
    }

    fn link(&self, _: &Request, ino: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let link = || {
            let mut store = self.change()?;
            if store.find(parent.0, name).is_some() {
                return Err(Errno::EEXIST);
            }
            store.rename(&[(parent.0, name, Some(ino.0))]);
            attr(&store, ino.0)
        };
        entered(reply, link());
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.power.is_off() {
            true => reply.error(Errno::EIO),
            false => reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE),
        }
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.read().and_then(|store| Ok(node(&store, ino.0)?.now.data.clone())) {
            Ok(data) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(data.len());
                let end = start.saturating_add(size as usize).min(data.len());
                reply.data(data.get(start..end).unwrap_or_default());
            }
            Err(e) => reply.error(e),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        flags: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.write_at(ino.0, offset, data, flags.contains(WriteFlags::FUSE_WRITE_CACHE)) {
            Ok(n) => reply.written(n),
            Err(e) => reply.error(e),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // Once said, the kernel never asks again.
        reply.error(Errno::ENOSYS);
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        done(reply, self.sync(ino.0));
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        done(reply, self.sync(ino.0));
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let list = || -> Answer<Vec<(u64, FileType, std::ffi::OsString)>> {
            let store = self.read()?;
            let mut all =
                vec![(ino.0, FileType::Directory, ".".into()), (ino.0, FileType::Directory, "..".into())];
            for (name, to) in &node(&store, ino.0)?.names {
                all.push((*to, kind(node(&store, *to)?.kind), name.clone()));
            }
            Ok(all)
        };
        match list() {
            Ok(all) => {
                for (at, (ino, kind, name)) in (1u64..).zip(all).skip(offset as usize) {
                    if reply.add(INodeNo(ino), at, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(e) => reply.error(e),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 24, 1 << 23, 1 << 23, 1 << 20, 1 << 19, 4096, 255, 4096);
    }
}
