//! Group commit: whoever finds no leader leads, and writes every waiting line with one sync.

use super::Seq;
use super::line::Line;
use super::writer::Writer;
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that wait for their turn, and the one writer.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    done: Condvar,
    writer: Mutex<Writer>,
}

#[derive(Default)]
struct Waiting {
    tickets: u64,
    lines: Vec<(u64, Line)>,
    answers: HashMap<u64, Result<Seq>>,
    led: bool,
}

impl Queue {
    pub(super) fn new(writer: Writer) -> Self {
        Self { waiting: Mutex::default(), done: Condvar::new(), writer: Mutex::new(writer) }
    }

    pub(super) fn append(&self, line: Line) -> Result<Seq> {
        let mut waiting = lock(&self.waiting);
        let ticket = waiting.tickets;
        waiting.tickets = waiting.tickets.wrapping_add(1);
        waiting.lines.push((ticket, line));
        loop {
            if let Some(answer) = waiting.answers.remove(&ticket) {
                return answer;
            }
            if waiting.led {
                waiting = self.done.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            waiting.led = true;
            let (tickets, lines): (Vec<_>, Vec<_>) = std::mem::take(&mut waiting.lines).into_iter().unzip();
            drop(waiting);
            let answers = lock(&self.writer).write(lines);
            waiting = lock(&self.waiting);
            waiting.led = false;
            match answers {
                Ok(answers) => waiting.answers.extend(tickets.into_iter().zip(answers)),
                Err(error) => {
                    let shared = Arc::new(error);
                    waiting
                        .answers
                        .extend(tickets.into_iter().map(|t| (t, Err(Error::Shared(Arc::clone(&shared))))));
                }
            }
            self.done.notify_all();
        }
    }

    /// How many `open` lines have no `close`, in all processes.
    pub(super) fn open_calls(&self) -> Result<u64> {
        lock(&self.writer).open_calls()
    }

    pub(super) fn into_writer(self) -> Writer {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code of ours panics while it holds these; and a line lost to a panic was never answered.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
