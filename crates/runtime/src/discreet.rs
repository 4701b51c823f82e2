//! What is secret here, known anew as soon as any process changed a credential, and the seal that texts pass before
//! they are kept.

use crate::vault::failed;
use metnos_executor::Failure;
use metnos_guard::Redactor;
use metnos_memory::db::Seal;
use metnos_vault::{Sealer, Stamp, Vault};
use std::io::{BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Values that were said and are remembered as secret, the latest.
const HEARD: usize = 64;

/// The secrets of this instance.
pub struct Discretion {
    vault: Arc<Vault>,
    sealer: Sealer,
    known: RwLock<Known>,
    /// Values that were said beside the name of a credential since this process began. They are kept nowhere.
    heard: Mutex<Vec<String>>,
}

#[derive(Clone)]
struct Known {
    stamp: Option<Stamp>,
    redactor: Arc<Redactor>,
}

impl Discretion {
    pub(crate) fn new(vault: Arc<Vault>) -> Result<Self, Failure> {
        let known = RwLock::new(look(&vault, &[])?);
        Ok(Self { sealer: vault.sealer(), vault, known, heard: Mutex::default() })
    }

    /// The redactor of this moment. Fails when it cannot be told what is secret.
    pub(crate) fn redactor(&self) -> Result<Arc<Redactor>, Failure> {
        let known = self.last();
        if known.stamp.is_some() && known.stamp == self.vault.stamp() {
            return Ok(known.redactor);
        }
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let fresh = look(&self.vault, &heard)?;
        let redactor = Arc::clone(&fresh.redactor);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(redactor)
    }

    /// What a person says: a value beside the name of a credential is secret from here on, also where it stands alone.
    pub(crate) fn hear(&self, text: &str) {
        let redactor = self.at_best();
        let said: Vec<&str> = redactor.said_in(text).into_iter().filter_map(|at| text.get(at)).collect();
        if said.is_empty() {
            return;
        }
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        for value in said.into_iter().filter(|value| !value.starts_with('‹')) {
            // The end of a sentence is none of the value.
            for value in [value, value.trim_end_matches(['.', '!', '?', ':'])] {
                if !heard.iter().any(|known| known == value) {
                    heard.push(value.to_owned());
                }
            }
        }
        let old = heard.len().saturating_sub(HEARD);
        heard.drain(..old);
        if let Ok(fresh) = look(&self.vault, &heard) {
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
    }

    /// The same; the last one known when the vault cannot be read now.
    pub(crate) fn at_best(&self) -> Arc<Redactor> {
        self.redactor().unwrap_or_else(|_| self.last().redactor)
    }

    fn last(&self) -> Known {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes a list into a file without the values of the vault, line by line; gives how long it is.
    pub fn keep_lines(&self, list: &mut dyn BufRead, out: &mut dyn std::io::Write) -> std::io::Result<u64> {
        let redactor = self.redactor().map_err(|failure| std::io::Error::other(failure.message))?;
        let (mut line, mut count) = (Vec::new(), 0);
        while list.read_until(b'\n', &mut line)? > 0 {
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            match std::str::from_utf8(&line) {
                Ok(text) => {
                    let secrets = redactor.known_in(text);
                    match secrets.is_empty() && !Sealer::is_sealed(&line) {
                        true => out.write_all(&line)?,
                        false => out.write_all(self.sealer.seal(text, &secrets).as_bytes())?,
                    }
                }
                // Lists are JSON, which is text.
                Err(_) => return Err(std::io::Error::from(std::io::ErrorKind::InvalidData)),
            }
            line.clear();
            count += 1;
        }
        Ok(count)
    }

    /// A list as it was before it was kept.
    pub fn read_lines(self: &Arc<Self>, kept: impl Read + 'static) -> impl Read + 'static {
        Lines { of: Arc::clone(self), from: std::io::BufReader::new(kept), line: Vec::new(), at: 0 }
    }
}

impl Seal for Discretion {
    fn seal(&self, text: &str) -> Result<String, String> {
        let redactor = self.redactor().map_err(|failure| failure.message)?;
        Ok(self.sealer.seal(text, &redactor.secrets_in(text)))
    }

    fn open(&self, text: &str) -> String {
        self.sealer.open(text)
    }
}

fn look(vault: &Vault, heard: &[String]) -> Result<Known, Failure> {
    // Before the values: a change in between is seen the next time.
    let stamp = vault.stamp();
    let values = vault.values().map_err(|e| failed(&e))?;
    let known = values.map(|secret| secret.expose().as_bytes().to_vec()).collect();
    let redactor = Redactor::new(known).and_then(|redactor| redactor.hearing(heard));
    let redactor = redactor.map_err(|e| Failure::internal(e.to_string()))?;
    Ok(Known { stamp, redactor: Arc::new(redactor.keyed(vault.digest_key())) })
}

/// A kept list, each line opened as it is read.
struct Lines<R> {
    of: Arc<Discretion>,
    from: std::io::BufReader<R>,
    line: Vec<u8>,
    at: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            self.line.clear();
            self.at = 0;
            self.from.read_until(b'\n', &mut self.line)?;
            if Sealer::is_sealed(&self.line)
                && let Ok(text) = std::str::from_utf8(&self.line)
            {
                self.line = self.of.sealer.open(text).into_bytes();
            }
        }
        let left = self.line.get(self.at..).unwrap_or_default();
        let taken = left.len().min(buffer.len());
        buffer.iter_mut().zip(left).for_each(|(to, from)| *to = *from);
        self.at += taken;
        Ok(taken)
    }
}
