//! What a test build puts in the place of the world: names, routes, and mounts without a plan.

use metnos_executor::lab::{self, Layer};
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// The addresses the test gives to `host`: `HOSTS="name=ip,ip;name=ip"`.
pub(crate) fn known(host: &str) -> Option<Vec<IpAddr>> {
    let table = lab::var("HOSTS")?;
    let (_, list) = table.split(';').filter_map(|row| row.split_once('=')).find(|(name, _)| *name == host)?;
    list.split(',').map(|ip| ip.parse().ok()).collect()
}

/// Where the test really leads a checked address: `ROUTES="ip=ip;ip=ip"`.
pub(crate) fn routed(address: SocketAddr) -> SocketAddr {
    let table = lab::var("ROUTES").unwrap_or_default();
    let to = table
        .split(';')
        .filter_map(|row| row.split_once('='))
        .find(|(from, _)| from.parse() == Ok(address.ip()))
        .and_then(|(_, to)| to.parse().ok());
    SocketAddr::new(to.unwrap_or(address.ip()), address.port())
}

/// What a cell gets in the place of what was taken away, and the settings of the test.
pub(crate) fn instead() -> Vec<OsString> {
    let mut argv: Vec<OsString> = Vec::new();
    if lab::without(Layer::Capabilities) {
        argv.extend(["--cap-add", "ALL"].map(OsString::from));
    }
    if let Some(shared) = lab::var("TMP").filter(|_| lab::without(Layer::PrivateTmp)) {
        argv.extend(["--bind".into(), shared.into(), "/tmp".into()]);
    }
    for (name, value) in lab::carried() {
        argv.extend(["--setenv".into(), name.into(), value.into()]);
    }
    argv
}

/// Every file there is, read-write, beside what a cell needs for itself.
pub(crate) fn everything(system: bool) -> Vec<OsString> {
    let children = |dir: &str| -> Vec<PathBuf> {
        std::fs::read_dir(dir).map(|all| all.flatten().map(|e| e.path()).collect()).unwrap_or_default()
    };
    let own = |path: &Path| ["/proc", "/dev", "/tmp", "/tmp/.cell"].iter().any(|p| path == Path::new(p));
    let mut argv = Vec::new();
    for path in children("/").into_iter().chain(children("/tmp")).filter(|path| !own(path)) {
        if path.is_symlink() {
            // What CPython loads is mounted already, under the names that are links here.
            if let (Ok(to), false) = (std::fs::read_link(&path), system) {
                argv.extend(["--symlink".into(), to.into_os_string(), path.into_os_string()]);
            }
        } else {
            argv.extend(["--bind-try".into(), path.clone().into_os_string(), path.into_os_string()]);
        }
    }
    argv
}
