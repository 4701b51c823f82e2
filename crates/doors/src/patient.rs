//! A connection that is given up when the other side does not read for a while: what waits to be written would stay
//! in memory, and its place taken, for as long as somebody likes.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream with an end to its patience.
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    until: Pin<Box<Sleep>>,
    /// True while something could not be written.
    stuck: bool,
}

impl<S> Patient<S> {
    /// Nothing of what is written may be left untaken for longer than `patience`.
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, until: Box::pin(tokio::time::sleep(patience)), stuck: false }
    }

    /// Counts the time while `written` is not ready.
    fn watch<T>(&mut self, cx: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stuck = false;
            return written;
        }
        if !self.stuck {
            self.stuck = true;
            let until = Instant::now() + self.patience;
            self.until.as_mut().reset(until);
        }
        ready!(self.until.as_mut().poll(cx));
        Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, ended)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::net::{TcpListener, TcpStream};

    /// Writes until it fails, for at most so many megabytes.
    async fn pour(stream: TcpStream, megabytes: usize) -> Option<ErrorKind> {
        let mut patient = Patient::new(stream, Duration::from_millis(300));
        let drop = vec![7u8; 1 << 20];
        let mut left = megabytes << 20;
        while left > 0 {
            let most = left.min(drop.len());
            match poll_fn(|cx| Pin::new(&mut patient).poll_write(cx, &drop[..most])).await {
                Ok(written) => left -= written,
                Err(error) => return Some(error.kind()),
            }
        }
        None
    }

    #[test]
    fn whoever_does_not_read_is_let_go_of_and_whoever_reads_slowly_is_not() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let silent = std::net::TcpStream::connect(address).unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            assert_eq!(pour(stream, 64).await, Some(ErrorKind::TimedOut));
            drop(silent);
            let mut slow = std::net::TcpStream::connect(address).unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            let reader = std::thread::spawn(move || {
                let mut bytes = vec![0u8; 4 << 20];
                while std::io::Read::read(&mut slow, &mut bytes).is_ok_and(|read| read > 0) {
                    std::thread::sleep(Duration::from_millis(30));
                }
            });
            assert_eq!(pour(stream, 32).await, None);
            reader.join().unwrap();
        });
    }
}
