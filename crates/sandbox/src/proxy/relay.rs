//! Moves bytes between a cell and the far end, counting them, until either closes, the call
//! ends, or its deadline passes.

use super::Traffic;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes one call may move in either direction.
const BYTES_MAX: u64 = 1 << 30;

/// All connections of one call.
#[derive(Clone)]
pub(super) struct Relays {
    deadline: Instant,
    traffic: Arc<Mutex<Traffic>>,
    open: Arc<Mutex<Vec<(UnixStream, TcpStream)>>>,
}

impl Relays {
    pub(super) fn new(deadline: Instant, traffic: Arc<Mutex<Traffic>>) -> Self {
        Self { deadline, traffic, open: Arc::default() }
    }

    /// Starts moving bytes; returns the cell's end.
    pub(super) fn start(&self, far: TcpStream) -> std::io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        let left = self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        far.set_read_timeout(Some(left))?;
        far.set_write_timeout(Some(left))?;
        ours.set_read_timeout(Some(left))?;
        ours.set_write_timeout(Some(left))?;
        let up = (ours.try_clone()?, far.try_clone()?);
        let down = (far.try_clone()?, ours.try_clone()?);
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push((ours, far));
        self.spawn(up.0, up.1, |traffic| &mut traffic.sent)?;
        self.spawn(down.0, down.1, |traffic| &mut traffic.received)?;
        Ok(theirs)
    }

    fn spawn<R, W>(&self, mut from: R, mut to: W, count: fn(&mut Traffic) -> &mut u64) -> std::io::Result<()>
    where
        R: Read + Send + 'static,
        W: Write + Close + Send + 'static,
    {
        let traffic = Arc::clone(&self.traffic);
        std::thread::Builder::new().name("relay".into()).spawn(move || {
            let mut buffer = vec![0; 16 << 10];
            while let Ok(n) = from.read(&mut buffer) {
                let over = {
                    let mut traffic = traffic.lock().unwrap_or_else(PoisonError::into_inner);
                    let total = count(&mut traffic);
                    *total += n as u64;
                    *total > BYTES_MAX
                };
                if n == 0 || over || to.write_all(&buffer[..n]).is_err() {
                    break;
                }
            }
            to.close_write();
        })?;
        Ok(())
    }

    /// Ends every connection.
    pub(super) fn end(&self) {
        for (near, far) in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = near.shutdown(Shutdown::Both);
            let _ = far.shutdown(Shutdown::Both);
        }
    }
}

/// Says that no more bytes will come.
trait Close {
    fn close_write(&self);
}

impl Close for TcpStream {
    fn close_write(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Close for UnixStream {
    fn close_write(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}
