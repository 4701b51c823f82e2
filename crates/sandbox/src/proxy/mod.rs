//! The only way out of a cell: one connected descriptor to a thread of the daemon.
//!
//! The cell asks for `host:port`, one line of JSON a request, and gets back either a refusal or a
//! connected stream passed by descriptor. The proxy checks the fence, resolves the name itself,
//! refuses addresses inside the house, connects to exactly the address it checked, counts what
//! passes and closes everything when the call ends. TLS stays between the executor and the far
//! end: the proxy moves bytes it cannot read.

mod address;
mod relay;

pub use address::{Refused, Resolve, Stage, System, choose};

use metnos_executor::profile::NetPattern;
use metnos_executor::wire::{self, Body, Granted, Kind, Wish};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most connections one call may open.
const CONNECTIONS_MAX: usize = 64;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// What passed and what did not, for the audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// `host:port` that were reached.
    pub allowed: Vec<String>,
    /// `host:port` that were not.
    pub refused: Vec<String>,
    /// Bytes sent by the cell.
    pub sent: u64,
    /// Bytes received for it.
    pub received: u64,
}

/// Where a granted wish leads.
pub enum Out {
    /// To the world, by names that this resolves.
    World(Arc<dyn Resolve>),
    /// To the servers of a birth test, and nowhere else.
    Stage(Stage),
}

/// The proxy of one call. Dropping it ends every connection.
pub struct Proxy {
    ours: UnixStream,
    theirs: Option<UnixStream>,
    traffic: Arc<Mutex<Traffic>>,
    thread: Option<std::thread::JoinHandle<()>>,
    relays: relay::Relays,
}

impl Proxy {
    /// Starts a proxy for one call, bounded by the fence's patterns and the call's deadline.
    pub fn start(patterns: Vec<NetPattern>, deadline: Instant, out: Out) -> std::io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let traffic = Arc::new(Mutex::new(Traffic::default()));
        let relays = relay::Relays::new(deadline, Arc::clone(&traffic));
        let control = ours.try_clone()?;
        let serving = Serving { patterns, out, traffic: Arc::clone(&traffic), relays: relays.clone() };
        let thread =
            std::thread::Builder::new().name("egress".into()).spawn(move || serving.serve(&control))?;
        Ok(Self { ours, theirs: Some(theirs), traffic, thread: Some(thread), relays })
    }

    /// The cell's end, once.
    pub fn cell_end(&mut self) -> Option<OwnedFd> {
        self.theirs.take().map(OwnedFd::from)
    }

    /// Ends every connection and tells what passed.
    pub fn finish(mut self) -> Traffic {
        self.close();
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn close(&mut self) {
        // Both ends must be gone for the serving thread to see the end of its stream.
        self.theirs = None;
        let _ = self.ours.shutdown(std::net::Shutdown::Both);
        self.relays.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.close();
    }
}

struct Serving {
    patterns: Vec<NetPattern>,
    out: Out,
    traffic: Arc<Mutex<Traffic>>,
    relays: relay::Relays,
}

impl Serving {
    fn serve(self, control: &UnixStream) {
        let mut opened = 0;
        while let Ok(Some(frame)) = wire::receive(control) {
            let Ok(wish) = frame.header::<Wish>() else { return };
            opened += 1;
            let far = if opened > CONNECTIONS_MAX {
                Err(Refused::Policy(format!("more than {CONNECTIONS_MAX} connections in one call")))
            } else {
                self.reach(&wish)
            };
            let place = format!("{}:{}", crate::text::bounded(&wish.host, 253), wish.port);
            {
                let mut traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
                if far.is_ok() { traffic.allowed.push(place) } else { traffic.refused.push(place) }
            }
            let sent = match far
                .and_then(|far| self.relays.start(far).map_err(|e| Refused::Network(e.to_string())))
            {
                Ok(near) => wire::send(
                    control,
                    Kind::Go,
                    &Granted { refused: None },
                    Body::Inline(&[]),
                    &[near.as_fd()],
                ),
                Err(refused) => {
                    let granted = Granted { refused: Some(refused.into_failure(&wish.host)) };
                    wire::send(control, Kind::Go, &granted, Body::Inline(&[]), &[])
                }
            };
            if sent.is_err() {
                return;
            }
        }
    }

    fn reach(&self, wish: &Wish) -> Result<TcpStream, Refused> {
        let address = match &self.out {
            Out::World(resolve) => choose(&self.patterns, &wish.host, wish.port, resolve.as_ref())?,
            Out::Stage(stage) => stage.choose(&self.patterns, &wish.host, wish.port)?,
        };
        #[cfg(feature = "lab")]
        let address = crate::lab::routed(address);
        // Connecting to the checked address, not to the name, is what defeats a second answer.
        let stream =
            TcpStream::connect_timeout(&address, CONNECT).map_err(|e| Refused::Network(e.to_string()))?;
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}
