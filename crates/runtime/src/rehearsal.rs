//! The world of one birth case: its servers on the loopback, and its credentials. Nothing else can be reached while an
//! executor is being tried, and nothing of it is the vault's.

use metnos_executor::Failure;
use metnos_executor::birth::{Case, Lent, Route, Server};
use metnos_sandbox::proxy::Stage;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest head of a request, and the longest body.
const HEAD_MAX: usize = 32 << 10;
const BODY_MAX: usize = 4 << 20;
/// How long a request may take to come in.
const PATIENCE: Duration = Duration::from_secs(10);

/// The world of one case. Dropping it ends its servers.
pub(crate) struct Rehearsal {
    credentials: Lent,
    servers: Vec<Running>,
}

impl Rehearsal {
    /// Starts what the case declares.
    pub(crate) fn begin(case: &Case) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| Failure::io("a server of a birth test", &e);
        let servers = case.servers.iter().map(Running::start).collect::<std::io::Result<_>>();
        Ok(Self { credentials: case.credentials.clone(), servers: servers.map_err(failed)? })
    }

    /// Where the hosts of the case are.
    pub(crate) fn stage(&self) -> Stage {
        let place =
            |running: &Running| (running.server.host.host.clone(), running.server.host.port, running.address);
        Stage(self.servers.iter().map(place).collect())
    }

    /// The credentials of the case that the call may have, as a vault would hand them over.
    pub(crate) fn credentials(&self, wanted: &[String]) -> Result<Option<File>, Failure> {
        if wanted.is_empty() {
            return Ok(None);
        }
        let io = |e: std::io::Error| Failure::io("the credentials of a birth test", &e);
        let mut file = metnos_executor::wire::memory_file("credentials").map_err(io)?;
        for (name, fields) in self.credentials.iter().filter(|(name, _)| wanted.contains(name)) {
            let line = serde_json::json!({ "name": name, "fields": fields });
            writeln!(file, "{line}").map_err(io)?;
        }
        file.rewind().map_err(io)?;
        metnos_executor::wire::seal(&file).map_err(io)?;
        Ok(Some(file))
    }

    /// What was asked of the servers that should not have been, or was not that should.
    pub(crate) fn broken(&self) -> Option<String> {
        self.servers.iter().find_map(Running::broken)
    }
}

struct Running {
    server: Arc<Server>,
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a server was asked for.
#[derive(Default)]
struct Seen {
    /// How often, for each route.
    times: Vec<u64>,
    /// The first request that breaks the promise.
    wrong: Option<String>,
}

impl Running {
    fn start(server: &Server) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let server = Arc::new(server.clone());
        let seen = Arc::new(Mutex::new(Seen { times: vec![0; server.routes.len()], wrong: None }));
        let over = Arc::new(AtomicBool::new(false));
        let (asked, known, ended) = (Arc::clone(&server), Arc::clone(&seen), Arc::clone(&over));
        let thread = std::thread::Builder::new().name("birth-server".into()).spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                // A request that cannot be read is one that breaks the promise.
                if let Err(e) = serve(&asked, &known, stream) {
                    lock(&known).wrong.get_or_insert(format!("a request that cannot be read: {e}"));
                }
            }
        })?;
        Ok(Self { server, address, seen, over, thread: Some(thread) })
    }

    fn broken(&self) -> Option<String> {
        let seen = lock(&self.seen);
        let host = &self.server.host;
        if let Some(wrong) = &seen.wrong {
            return Some(format!("{host}: {wrong}"));
        }
        self.server.routes.iter().zip(&seen.times).find_map(|(route, times)| {
            let kept = route.times.map_or(*times > 0, |expected| expected == *times);
            let expected = route.times.map_or("at least once".to_owned(), |n| format!("{n} times"));
            let Route { method, path, .. } = route;
            (!kept).then(|| format!("{host}: {method} {path}: expected {expected}, asked {times} times"))
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Wakes the thread, which then looks at the flag.
        let _ = TcpStream::connect_timeout(&self.address, PATIENCE);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One request.
struct Asked {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Answers one connection.
fn serve(server: &Server, seen: &Mutex<Seen>, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some(asked) = read(&mut stream)? else { return Ok(()) };
    let (method, path) = (asked.method.as_str(), asked.path.as_str());
    let at = server.routes.iter().position(|route| route.method == method && route.path == path);
    let Some(at) = at else {
        lock(seen).wrong.get_or_insert(format!("no route answers {method} {path}"));
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let route = &server.routes[at];
    {
        let mut seen = lock(seen);
        seen.times[at] += 1;
        if let Some(wrong) = differs(route, &asked) {
            seen.wrong.get_or_insert(format!("{method} {path}: {wrong}"));
        }
    }
    let mut head = format!("HTTP/1.1 {} Birth\r\nConnection: close\r\n", route.status);
    for (name, value) in &route.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", route.body.len()));
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(&route.body)?;
    }
    stream.flush()
}

/// What of a request is not as the case says it must be.
fn differs(route: &Route, asked: &Asked) -> Option<String> {
    for (name, expected) in &route.sent.headers {
        let found = asked.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match found {
            Some((_, value)) if value == expected => {}
            Some(_) => return Some(format!("the header {name} is another one")),
            None => return Some(format!("the header {name} is missing")),
        }
    }
    let expected = route.sent.body.as_ref()?;
    (*expected != asked.body)
        .then(|| format!("{} bytes were sent, other ones than expected", asked.body.len()))
}

/// One request from a stream; nothing from one that says nothing.
fn read(stream: &mut TcpStream) -> std::io::Result<Option<Asked>> {
    let broken = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > HEAD_MAX {
            return Err(broken("its head is too long"));
        }
        match stream.read(&mut chunk)? {
            0 if bytes.is_empty() => return Ok(None),
            0 => return Err(broken("it ends in its head")),
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    };
    let mut body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path)) = (first.next(), first.next()) else {
        return Err(broken("it is no HTTP"));
    };
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length =
        length.map_or(Ok(0), |(_, n)| n.parse::<usize>().map_err(|_| broken("its length is none")))?;
    if length > BODY_MAX {
        return Err(broken("its body is too long"));
    }
    while body.len() < length {
        match stream.read(&mut chunk)? {
            0 => return Err(broken("it ends in its body")),
            n => body.extend_from_slice(&chunk[..n]),
        }
    }
    body.truncate(length);
    Ok(Some(Asked { method: method.to_owned(), path: path.to_owned(), headers, body }))
}
