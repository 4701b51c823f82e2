//! The cell's side of the way out: asks the daemon's proxy for connections, and for CPython keeps a
//! forwarder on the cell's own loopback that speaks HTTP proxy.

use metnos_executor::wire::{self, Body, Granted, Kind, Wish};
use metnos_executor::{ErrorClass, Failure};
use metnos_python::Fetched;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest request or answer head.
const HEAD_MAX: usize = 32 << 10;
/// The longest page a `fetch` returns.
const PAGE_MAX: u64 = 16 << 20;

/// The one descriptor that leads out.
#[derive(Clone)]
pub(crate) struct Egress(Arc<Mutex<UnixStream>>);

impl Egress {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self(Arc::new(Mutex::new(UnixStream::from(fd))))
    }

    /// A connected stream to `host:port`, if the proxy grants it.
    pub(crate) fn connect(&self, host: &str, port: u16) -> Result<UnixStream, Failure> {
        let lost = |e: std::io::Error| Failure::new(ErrorClass::Network, format!("the egress proxy: {e}"));
        let control = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wish = Wish { host: host.to_owned(), port };
        wire::send(&control, Kind::Request, &wish, Body::Inline(&[]), &[]).map_err(lost)?;
        let gone = || Failure::new(ErrorClass::Network, "the egress proxy is gone");
        let mut frame = wire::receive(&control).map_err(lost)?.ok_or_else(gone)?;
        let granted: Granted = frame.header().map_err(lost)?;
        match (granted.refused, frame.fds.pop()) {
            (Some(refused), _) => Err(refused),
            (None, Some(fd)) => Ok(UnixStream::from(fd)),
            (None, None) => Err(gone()),
        }
    }

    /// Gets one page over plain HTTP. What is encrypted needs a client of its own in the executor.
    pub(crate) fn fetch(&self, url: &str) -> Result<Fetched, Failure> {
        let (host, port, path) = plain_url(url)?;
        let mut stream = self.connect(&host, port)?;
        let lost = |e: std::io::Error| Failure::new(ErrorClass::Network, format!("{url}: {e}"));
        write!(
            stream,
            "GET {path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: metnos\r\nConnection: close\r\n\r\n"
        )
        .map_err(lost)?;
        let (head, rest) = head(&mut stream).map_err(lost)?;
        let mut body = rest;
        stream.take(PAGE_MAX - body.len() as u64).read_to_end(&mut body).map_err(lost)?;
        let head = String::from_utf8_lossy(&head).into_owned();
        let status = head.split_whitespace().nth(1).and_then(|s| s.parse().ok());
        let status =
            status.ok_or_else(|| Failure::new(ErrorClass::Network, format!("{url}: not an HTTP answer")))?;
        let content_type = head
            .lines()
            .find_map(|line| line.split_once(':').filter(|(k, _)| k.eq_ignore_ascii_case("content-type")))
            .map(|(_, v)| v.trim().to_owned())
            .unwrap_or_default();
        Ok(Fetched { status, content_type, text: String::from_utf8_lossy(&body).into_owned() })
    }
}

fn plain_url(url: &str) -> Result<(String, u16, String), Failure> {
    let wrong = |why: &str| Failure::wrong_args(format!("{url}: {why}"));
    let rest = match url.split_once("://") {
        Some(("http", rest)) => rest,
        Some(("https", _)) => {
            return Err(Failure::new(
                ErrorClass::UnsupportedFormat,
                format!("{url}: fetch speaks plain HTTP only"),
            ));
        }
        _ => return Err(wrong("expected http://host/…")),
    };
    if url.bytes().any(|b| b <= b' ' || b == 0x7f) {
        return Err(wrong("control characters and spaces must be encoded"));
    }
    let (place, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let (host, port) = split_place(place, 80).ok_or_else(|| wrong("expected a host"))?;
    Ok((host, port, path.to_owned()))
}

fn split_place(place: &str, default: u16) -> Option<(String, u16)> {
    if place.contains('@') || place.is_empty() {
        return None;
    }
    match place.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !port.contains(']') => {
            Some((host.to_owned(), port.parse().ok()?))
        }
        _ => Some((place.to_owned(), default)),
    }
}

/// Reads up to the empty line; returns the head and what came after it.
fn head(stream: &mut impl Read) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let rest = bytes.split_off(at + 4);
            return Ok((bytes, rest));
        }
        if bytes.len() > HEAD_MAX {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "the head is too long"));
        }
        match stream.read(&mut chunk)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    }
}

/// An HTTP proxy on the cell's own loopback, for `HTTP_PROXY` and `HTTPS_PROXY`.
pub(crate) struct Forwarder {
    listener: TcpListener,
    /// Where it listens.
    pub(crate) port: u16,
}

impl Forwarder {
    /// Binds while the layers still allow it.
    pub(crate) fn bind() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Serves in the background until the cell ends.
    pub(crate) fn serve(self, egress: Egress) -> std::io::Result<()> {
        std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
            for stream in self.listener.incoming().flatten() {
                let egress = egress.clone();
                let _ =
                    std::thread::Builder::new().stack_size(256 << 10).spawn(move || forward(stream, &egress));
            }
        })?;
        Ok(())
    }
}

fn forward(mut near: TcpStream, egress: &Egress) {
    let Ok((head_bytes, rest)) = head(&mut near) else { return };
    let text = String::from_utf8_lossy(&head_bytes).into_owned();
    let mut words = text.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return };
    let tunnel = method == "CONNECT";
    let place = if tunnel {
        split_place(target, 443).map(|(host, port)| (host, port, String::new()))
    } else {
        plain_url(target).ok()
    };
    let Some((host, port, path)) = place else {
        let _ = near.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        return;
    };
    let mut far = match egress.connect(&host, port) {
        Ok(far) => far,
        Err(failure) => {
            let body = format!("{failure}\n");
            let _ = write!(
                near,
                "HTTP/1.1 403 Forbidden\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            return;
        }
    };
    let opened = if tunnel {
        near.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").and_then(|()| far.write_all(&rest))
    } else {
        let after = text.split_once("\r\n").map_or("", |(_, rest)| rest);
        write!(far, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{after}")
            .and_then(|()| far.write_all(&rest))
    };
    let (Ok(()), Ok(mut near_up), Ok(mut far_up)) = (opened, near.try_clone(), far.try_clone()) else {
        return;
    };
    let _ = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        let _ = std::io::copy(&mut near_up, &mut far_up);
        let _ = far_up.shutdown(Shutdown::Write);
    });
    let _ = std::io::copy(&mut far, &mut near);
    let _ = near.shutdown(Shutdown::Write);
}
