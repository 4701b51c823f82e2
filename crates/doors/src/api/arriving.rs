//! Bodies on their way in from senders who are not known yet. Nobody waits for anybody: what is bounded is the memory
//! they take together, and where that is full the one that takes longest makes room.

use axum::body::{Body, Bytes};
use futures_util::StreamExt;
use metnos_executor::{ErrorClass, Failure};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How many bytes of them there may be at once.
const ROOM: usize = 16 << 20;

/// Everything that is arriving.
pub(crate) struct Arriving {
    held: Mutex<Held>,
    room: usize,
}

#[derive(Default)]
struct Held {
    bytes: usize,
    next: u64,
    /// In the order in which they began.
    bodies: BTreeMap<u64, One>,
}

struct One {
    bytes: usize,
    /// Rings when it must make room.
    out: Arc<Notify>,
}

impl Default for Arriving {
    fn default() -> Self {
        Self { held: Mutex::default(), room: ROOM }
    }
}

impl Arriving {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Place<'_> {
        let out = Arc::new(Notify::new());
        let mut held = self.held();
        let number = held.next;
        held.next += 1;
        held.bodies.insert(number, One { bytes: 0, out: Arc::clone(&out) });
        Place { all: self, number, out }
    }

    /// The whole of a body of at most `most` bytes that arrives within `patience`.
    pub(crate) async fn whole(&self, body: Body, most: usize, patience: Duration) -> Result<Bytes, Failure> {
        let place = self.begin();
        let arrives = async {
            let mut parts = body.into_data_stream();
            let mut whole = Vec::new();
            while let Some(part) = parts.next().await {
                let part = part.map_err(|_| Failure::wrong_args("the body was cut"))?;
                if whole.len() + part.len() > most {
                    let large = format!("the body is longer than {most} bytes");
                    return Err(Failure::new(ErrorClass::TooLarge, large));
                }
                whole.extend_from_slice(&part);
                place.takes(part.len());
            }
            Ok(Bytes::from(whole))
        };
        tokio::select! {
            arrived = tokio::time::timeout(patience, arrives) => arrived.unwrap_or_else(|_| {
                Err(Failure::new(ErrorClass::Timeout, "the body took too long to arrive"))
            }),
            () = place.out.notified() => {
                let full = "the body took too long to arrive while many others did";
                Err(Failure::new(ErrorClass::RateLimited, full).with_hint("send it again"))
            }
        }
    }
}

/// One body that is arriving, until this is dropped.
struct Place<'a> {
    all: &'a Arriving,
    number: u64,
    out: Arc<Notify>,
}

impl Place<'_> {
    /// Counts bytes that have arrived; whoever has been at it longest makes room for them.
    fn takes(&self, bytes: usize) {
        let mut held = self.all.held();
        held.bytes += bytes;
        if let Some(own) = held.bodies.get_mut(&self.number) {
            own.bytes += bytes;
        }
        while held.bytes > self.all.room {
            let oldest = held.bodies.iter().find(|(number, one)| **number != self.number && one.bytes > 0);
            let Some(number) = oldest.map(|(number, _)| *number) else { return };
            if let Some(one) = held.bodies.remove(&number) {
                held.bytes = held.bytes.saturating_sub(one.bytes);
                one.out.notify_one();
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut held = self.all.held();
        if let Some(one) = held.bodies.remove(&self.number) {
            held.bytes = held.bytes.saturating_sub(one.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;

    const LONG: Duration = Duration::from_secs(600);

    /// A body of which `bytes` arrive and no more.
    fn slow(bytes: usize) -> Body {
        let first = stream::once(async move { Ok::<_, Infallible>(Bytes::from(vec![b'x'; bytes])) });
        Body::from_stream(first.chain(stream::pending()))
    }

    #[tokio::test]
    async fn nobody_waits_and_who_takes_longest_makes_room() {
        let arriving = Arc::new(Arriving { held: Mutex::default(), room: 100 });
        let mut at_work = tokio::task::JoinSet::new();
        for n in 0..64 {
            let all = Arc::clone(&arriving);
            at_work.spawn(async move { (n, all.whole(slow(1), 50, LONG).await) });
            while arriving.held().bytes <= n {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(arriving.whole(Body::from("x"), 50, LONG).await.unwrap(), "x", "there is room beside all");
        assert_eq!(arriving.held().bodies.len(), 64, "and nobody had to go");
        assert_eq!(arriving.whole(Body::from(vec![b'y'; 40]), 50, LONG).await.unwrap().len(), 40);
        let (first, gone) = at_work.join_next().await.unwrap().unwrap();
        assert_eq!((first, gone.unwrap_err().class), (0, ErrorClass::RateLimited), "the oldest made room");
        at_work.shutdown().await;
        assert_eq!(arriving.held().bytes, 0, "whoever is gone takes nothing");
        let large = arriving.whole(Body::from(vec![b'y'; 51]), 50, LONG).await.unwrap_err();
        assert_eq!(large.class, ErrorClass::TooLarge);
    }
}
