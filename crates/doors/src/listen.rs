//! The listener: connections with limits, an orderly end.

use crate::api;
use crate::house::House;
use crate::patient::Patient;
use crate::tls::Certificate;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use metnos_executor::Failure;
use metnos_runtime::house::logbook::Level;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// Connections at once.
const CONNECTIONS: usize = 4096;
/// Files and pipes that the house itself may need.
const OWN: usize = 512;
/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(10);
/// How long somebody may not read what is sent to them.
const UNREAD: Duration = Duration::from_secs(30);
/// The longest head.
const HEAD_BYTES: usize = 32 << 10;
/// How long running turns may take to end when the house closes; then they are stopped at their next safe point.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long they may take for that.
const STOPPING: Duration = Duration::from_secs(10);
/// How long connections may take to end.
const GOODBYE: Duration = Duration::from_secs(3);

/// A listener that is open.
pub struct Listening {
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    /// Where.
    pub address: SocketAddr,
}

impl Listening {
    /// Opens it, over TLS with a certificate. Must be called inside the runtime of the daemon.
    pub async fn open(address: SocketAddr, certificate: Option<&Certificate>) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| {
            Failure::io(address, &e).with_hint(
                "another program has this address; listen = \"127.0.0.1:0\" under [serve] takes a free one",
            )
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, acceptor: certificate.map(|own| own.acceptor.clone()) })
    }
}

/// How many connections there may be: what a process may have open, less what the house itself needs.
fn connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // As far as it goes without asking anybody.
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let open = if raised.is_ok() { limit.maximum } else { limit.current };
    let open = open.map_or(usize::MAX, |open| usize::try_from(open).unwrap_or(usize::MAX));
    open.saturating_sub(OWN).max(open / 4).min(CONNECTIONS)
}

/// Serves until `stop` is ready, then closes in order: nothing new, running turns end or are stopped, streams end.
pub async fn serve(house: Arc<House>, listening: Listening, stop: impl Future<Output = ()>) {
    let router = api::router(&house);
    house.log(Level::Info, &format!("listens at {}", listening.address));
    let telegram = crate::telegram::start(&house);
    let room = Arc::new(Semaphore::new(connections()));
    let (closing, closed) = watch::channel(false);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listening.listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors, most likely: others end soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let (router, closed, acceptor) = (router.clone(), closed.clone(), listening.acceptor.clone());
        tokio::spawn(async move {
            match acceptor {
                None => converse(stream, router, closed).await,
                // Whoever does not finish the greeting in time is not waited for.
                Some(acceptor) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, acceptor.accept(stream)).await {
                        converse(stream, router, closed).await;
                    }
                }
            }
            drop(permit);
        });
    }
    drop(listening);
    house.log(Level::Info, "stops: running turns may end");
    house.begin_closing();
    if !house.hub.still(PATIENCE).await {
        house.log(Level::Warn, "stops turns that took too long");
        house.hub.stop_all();
        house.hub.still(STOPPING).await;
    }
    if let Some(telegram) = telegram {
        let _ = tokio::task::spawn_blocking(move || telegram.close()).await;
    }
    closing.send_replace(true);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(GOODBYE, room.acquire_many(all)).await;
}

async fn converse<S>(stream: S, router: Router, mut closed: watch::Receiver<bool>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(true)
        .serve_connection(TokioIo::new(Patient::new(stream, UNREAD)), service);
    tokio::pin!(connection);
    let told = async move {
        let _ = closed.wait_for(|closed| *closed).await;
    };
    tokio::select! {
        _ = connection.as_mut() => {}
        () = told => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
