//! What every door shares: the gateway, the turns at work, the words.

use crate::api::hooks::Fired;
use crate::counts::Counts;
use crate::hub::Hub;
use crate::pace::Pace;
use crate::said::LastSaid;
use crate::shield::Origins;
use crate::stream::Watchers;
use crate::telegram::Pulse;
use crate::who::{Tries, Who};
use crate::words::Words;
use metnos_executor::{Failure, Ulid};
use metnos_gateway::Gateway;
use metnos_runtime::Runtime;
use metnos_runtime::house::logbook::{Level, Logbook};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// What a look at the whole audit found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verified {
    pub(crate) at: String,
    pub(crate) lines: u64,
    pub(crate) damage: Vec<String>,
}

/// What the sessions of a daemon begin with.
const SERVED: &str = "served:";

/// The house behind the doors.
pub struct House {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) hub: Hub,
    pub(crate) words: Words,
    pub(crate) counts: Counts,
    pub(crate) watchers: Watchers,
    pub(crate) tries: Tries,
    pub(crate) fires: Fired,
    pub(crate) pace: Pace,
    /// Whether the Telegram door is alive.
    pub(crate) telegram: Pulse,
    /// Under which names and addresses it may be spoken to.
    pub(crate) origins: Origins,
    pub(crate) since: Instant,
    /// Which start of the daemon this is: what was granted for a session ends with it.
    start: Ulid,
    log: Logbook,
    /// True over TLS: cookies are then for TLS only.
    pub(crate) secure: bool,
    /// Where people come in.
    pub(crate) url: String,
    /// What programs said last.
    pub(crate) said: LastSaid,
    /// The last look at the whole audit since the start.
    verified: Mutex<Option<Verified>>,
    closing: AtomicBool,
    close: watch::Sender<bool>,
}

impl House {
    /// Opens the house around `runtime`, to be spoken to under `origins`, first of all at `url`.
    pub fn open(runtime: Runtime, origins: Origins, url: &str) -> Result<Arc<Self>, Failure> {
        let kept = runtime.config.logs;
        let log = Logbook::open(&runtime.home.state_dir().join("logs"), kept.keep_days.get(), kept.budget())?;
        // The key of the machine's own terminal is there from the first start on.
        runtime.admin_key()?;
        let gateway = Arc::new(Gateway::new(runtime)?);
        // What a kill left running is told as interrupted, to whoever watches it or asks for it.
        gateway.cut_off(None)?;
        // Nobody's session outlives the daemon it was in.
        gateway.runtime().end_session_grants(SERVED)?;
        Ok(Arc::new(Self {
            gateway,
            hub: Hub::default(),
            words: Words::shipped()?,
            counts: Counts::default(),
            watchers: Watchers::default(),
            tries: Tries::default(),
            fires: Fired::default(),
            pace: Pace::default(),
            telegram: Pulse::default(),
            origins,
            since: Instant::now(),
            start: Ulid::new(),
            log,
            secure: url.starts_with("https://"),
            url: url.to_owned(),
            said: LastSaid::default(),
            verified: Mutex::default(),
            closing: AtomicBool::new(false),
            close: watch::channel(false).0,
        }))
    }

    /// What calls go through.
    pub fn runtime(&self) -> &Runtime {
        self.gateway.runtime()
    }

    /// Writes a line into the log of the daemon, without secrets.
    pub fn log(&self, level: Level, text: &str) {
        self.log.line(level, &self.runtime().told(text));
    }

    /// What performs turns, for a prompt in the same process.
    pub fn gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.gateway)
    }

    /// The last look at the whole audit, if there was one since the start.
    pub(crate) fn verified(&self) -> Option<Verified> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_verified(&self, found: Verified) {
        *self.verified.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }

    /// The session of whoever is at the door: it ends with what they came in by, and with this daemon.
    pub(crate) fn session_of(&self, who: &Who) -> String {
        format!("{SERVED}{}:{}", who.token, self.start)
    }

    /// The same for a request: terminals of the machine come in by one key, and each is a session of its own.
    pub(crate) fn session_in(&self, who: &Who, conversation: &str) -> String {
        match who.channel {
            "cli" => format!("{}:{conversation}", self.session_of(who)),
            _ => self.session_of(who),
        }
    }

    /// Takes back what was granted for a session that ends now.
    pub(crate) fn end_session(&self, who: &Who) -> Result<(), Failure> {
        self.runtime().end_session_grants(&self.session_of(who))
    }

    /// From now on nothing new is begun.
    pub fn begin_closing(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.close.send_replace(true);
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Rings when the house begins to close.
    pub(crate) fn closing_bell(&self) -> watch::Receiver<bool> {
        self.close.subscribe()
    }
}
