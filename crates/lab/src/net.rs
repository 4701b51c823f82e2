//! Listeners that stand for places an executor may or may not reach, on this machine's loopback.

use crate::house::Done;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names and the addresses a hostile name server gives them.
pub(crate) const HOSTS: &str = "rebind.example.org=127.0.0.1;mixed.example.org=127.0.0.1,93.184.216.34;\
meta.example.org=169.254.169.254;mapped.example.org=::ffff:127.0.0.1;lan.example.org=192.168.7.7;\
nat.example.org=64:ff9b::7f00:1";
/// Where those addresses really lead in the test build, once they passed the checks.
pub(crate) const ROUTES: &str = "169.254.169.254=127.0.0.1;::ffff:127.0.0.1=127.0.0.1;192.168.7.7=127.0.0.1;\
64:ff9b::7f00:1=127.0.0.1;93.184.216.34=127.0.0.1";

/// A listener that is in the profiles, and one whose port is in no profile.
pub(crate) struct Net {
    /// Reached under names and addresses that the profile has.
    pub(crate) named: Arc<Place>,
    /// Reached by nobody.
    pub(crate) unnamed: Arc<Place>,
}

/// One listener.
pub(crate) struct Place {
    /// Where it listens.
    pub(crate) port: u16,
    hits: AtomicUsize,
}

impl Place {
    fn open() -> Done<Arc<Self>> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
        let port = listener.local_addr().map_err(|e| e.to_string())?.port();
        let place = Arc::new(Self { port, hits: AtomicUsize::new(0) });
        let served = Arc::clone(&place);
        // Ends with this process.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                served.hits.fetch_add(1, Ordering::SeqCst);
                let _ = stream.set_read_timeout(Some(std::time::Duration::from_secs(2)));
                let asked = head(&mut stream);
                let to =
                    asked.split_whitespace().nth(1).and_then(|path| path.split_once("to=")).map(|(_, to)| to);
                let answer = match to {
                    Some(to) => format!(
                        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: {}\r\n\r\n{to}",
                        to.len()
                    ),
                    None => "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nreached".to_owned(),
                };
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Ok(place)
    }

    /// How often somebody came since the last time.
    pub(crate) fn take(&self) -> usize {
        self.hits.swap(0, Ordering::SeqCst)
    }
}

/// The head of a request, in however many pieces it comes.
fn head(stream: &mut TcpStream) -> String {
    let (mut head, mut chunk) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|w| w == b"\r\n\r\n") && head.len() < 16 << 10 {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => head.extend_from_slice(&chunk[..n]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

impl Net {
    /// Two listeners.
    pub(crate) fn open() -> Done<Self> {
        Ok(Self { named: Place::open()?, unnamed: Place::open()? })
    }

    /// The same listeners, for a copy of the house.
    pub(crate) fn another(&self) -> Done<Self> {
        Ok(Self { named: Arc::clone(&self.named), unnamed: Arc::clone(&self.unnamed) })
    }
}
