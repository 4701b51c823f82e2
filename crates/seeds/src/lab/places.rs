//! Files and folders outside the fence, and what else a process can look at.

use super::Args;
use std::io;
use std::os::fd::FromRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

pub(super) fn attempt(args: &Args) -> Option<io::Result<String>> {
    let target = Path::new(&args.target);
    let done = |outcome: io::Result<()>| outcome.map(|()| "done".to_owned());
    let (from, to) = args.target.split_once('>').unwrap_or((&args.target, ""));
    Some(match args.attack.as_str() {
        "read" => std::fs::read_to_string(target),
        "write" => done(std::fs::OpenOptions::new().write(true).open(target).and_then(|mut f| {
            use std::io::Write;
            f.write_all(b"overwritten")
        })),
        "truncate" => done(rustix_truncate(target)),
        "create" => done(std::fs::File::create_new(target).map(|_| ())),
        "list" => std::fs::read_dir(target)
            .map(|all| all.flatten().map(|e| e.file_name().to_string_lossy().into_owned() + " ").collect()),
        "remove" => done(std::fs::remove_file(target)),
        "make-dir" => done(std::fs::create_dir(target)),
        "rename" => done(std::fs::rename(from, to)),
        "hard-link" => done(std::fs::hard_link(from, to)),
        "symlink" => done(std::os::unix::fs::symlink(from, to)),
        "stat" => std::fs::symlink_metadata(target).map(|m| m.ino().to_string()),
        "readlink" => std::fs::read_link(target).map(|p| p.display().to_string()),
        "access" => std::fs::exists(target).and_then(|there| {
            if there { Ok("there".into()) } else { Err(io::Error::from_raw_os_error(libc::ENOENT)) }
        }),
        "chdir" => std::env::set_current_dir(target)
            .and_then(|()| std::env::current_dir())
            .map(|p| p.display().to_string()),
        "chmod" => done(std::fs::set_permissions(target, std::fs::Permissions::from_mode(0o777))),
        "touch" => done(touch(target)),
        "environment" => Ok(std::env::vars().map(|(k, v)| format!("{k}={v} ")).collect()),
        "hostname" => Ok(rustix::system::uname().nodename().to_string_lossy().into_owned()),
        "descriptor" => {
            // SAFETY: an attacker owns whatever stands at a number nobody gave it.
            let file = unsafe { std::fs::File::from_raw_fd(args.n as i32) };
            // At the beginning: whoever inherited it too may have read it to its end.
            let mut text = [0; 64];
            let read = file.read_at(&mut text, 0);
            std::mem::forget(file);
            read.map(|n| String::from_utf8_lossy(&text[..n]).into_owned())
        }
        _ => return None,
    })
}

fn rustix_truncate(path: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    super::raw(libc::SYS_truncate, [path.as_ptr() as u64, 0, 0, 0, 0, 0]).map(|_| ())
}

/// Changes the time of a file by its name: no descriptor that a fence could refuse.
fn touch(path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    let moment = Timespec { tv_sec: 1, tv_nsec: 0 };
    let times = Timestamps { last_access: moment, last_modification: moment };
    Ok(utimensat(CWD, path, &times, AtFlags::empty())?)
}
