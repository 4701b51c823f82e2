//! Everything a call needs, opened once.

use crate::builtin::Need;
use crate::host::HostDoor;
use crate::input::{List, Prepared};
use crate::land::Lands;
use crate::minds::Minds;
use metnos_executor::Failure;
use metnos_executor::catalog::Catalog;
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_executor::manifest::Version;
use metnos_executor::profile::TableVersions;
use metnos_executor::record::Counters;
use metnos_executor::signature::Verified;
use metnos_executor::wire::Start;
use metnos_memory::audit::Audit;
use metnos_memory::db::Db;
use metnos_sandbox::{Cell, Keeping, Launcher, Mounts, Pool};
use metnos_undo::{Journal, Locks};
use metnos_vault::Vault;
use metnos_vocab::ExecutorName;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock};

/// How a runtime is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Keep cells ready. Worth it for more than one call.
    pub warm: bool,
    /// The blake3 of the host this program was built with, where it is known.
    pub built: Option<&'static str>,
}

/// An open Metnos.
pub struct Runtime {
    /// Where it lives.
    pub home: Home,
    pub(crate) key: Arc<InstanceKey>,
    pub(crate) catalog: Catalog,
    pub(crate) audit: Audit,
    pub(crate) db: Arc<Db>,
    pub(crate) journal: Journal,
    pub(crate) locks: Locks,
    /// Bytes this process kept that the ledger does not know of yet.
    pub(crate) kept: crate::keeping::Fresh,
    pub(crate) guards: crate::guards::Guards,
    /// What the person switched on and off.
    pub config: crate::config::Config,
    /// The models that are bound now: what `metnos models setup` writes is taken over without a restart.
    pub(crate) tiers: std::sync::RwLock<Arc<metnos_llm::Tiers>>,
    pub(crate) gate: crate::halt::Gate,
    pub(crate) meter: crate::guards::Meter,
    pub(crate) discretion: Arc<crate::discreet::Discretion>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) host: HostDoor,
    /// Digests of executors known to keep their birth promises in this environment.
    pub(crate) alive: Mutex<HashSet<String>>,
    pub(crate) lands: Lands,
    /// What other processes of this home changed meanwhile.
    pub(crate) news: crate::news::News,
    pool: OnceLock<Option<Arc<Pool>>>,
    warm: bool,
    pub(crate) built: Option<&'static str>,
}

/// The counter that says that texts are kept sealed.
const SEALED: &str = "texts sealed";

/// Counters of signed records, kept in the database so that an old record is not a valid one.
struct DbCounters(Arc<Db>);

impl Counters for DbCounters {
    fn get(&self, key: &str) -> Result<Option<u64>, String> {
        self.0.counter(key).map(|n| (n > 0).then_some(n)).map_err(|e| e.to_string())
    }

    fn set(&self, key: &str, value: u64) -> Result<(), String> {
        self.0.raise(key, value).map(|_| ()).map_err(|e| e.to_string())
    }
}

impl Runtime {
    /// Opens an initialised home and repairs what a crash left behind; on a full disk, with the room
    /// that was held back for it.
    pub fn open(home: Home, options: Options) -> Result<Self, Failure> {
        let state = home.state_dir();
        match Self::open_once(home.clone(), options) {
            Err(_) if crate::reserve::give_up(&state) => Self::open_once(home, options),
            opened => opened,
        }
    }

    fn open_once(home: Home, options: Options) -> Result<Self, Failure> {
        crate::house::restore::refuse_half(&home)?;
        let key = InstanceKey::load(&home.keys_dir()).map_err(|e| {
            let failure = Failure::wrong_args(e.to_string());
            if home.keys_dir().exists() {
                match e.hint() {
                    Some(hint) => failure.with_hint(hint),
                    None => failure,
                }
            } else {
                Failure::wrong_args("Metnos is not set up here").with_hint("metnos init")
            }
        })?;
        Self::with_key(home, key, options)
    }

    pub(crate) fn with_key(home: Home, key: InstanceKey, options: Options) -> Result<Self, Failure> {
        let runtime = Self::as_found(home, key, options)?;
        runtime.settle_restored()?;
        Ok(runtime)
    }

    /// The same, where what was open in a restored house may still be.
    pub(crate) fn as_found(home: Home, key: InstanceKey, options: Options) -> Result<Self, Failure> {
        let key = Arc::new(key);
        let broken = |e: metnos_memory::Error| {
            let failure = Failure::internal(e.to_string());
            match e.hint() {
                Some(hint) => failure.with_hint(hint),
                None => failure,
            }
        };
        let state = home.state_dir();
        crate::reserve::make_room(&state);
        let db = Arc::new(Db::open(&state.join("metnos.sqlite")).map_err(broken)?);
        // Before anything is loaded: what changes from here on is seen.
        let news = crate::news::News::of(&db)?;
        let signer = Arc::new(crate::audit_log::KeySigner(Arc::clone(&key)));
        let audit = Audit::open(&home.audit_dir(), &state, signer, jiff::Timestamp::now).map_err(broken)?;
        crate::audit_log::remember(&audit, &db).map_err(broken)?;
        let journal = Journal::open(&state.join("journal")).map_err(|e| crate::undo::failed(&e))?;
        let locks = Locks::open(&state.join("locks")).map_err(|e| crate::undo::failed(&e))?;
        let lands = Lands::open(&home, &db)?;
        let config = crate::config::Config::load(&home)?;
        let vault = Arc::new(crate::vault::open(&home)?);
        let discretion = Arc::new(crate::discreet::Discretion::new(Arc::clone(&vault))?);
        db.seal_with(Arc::<crate::discreet::Discretion>::clone(&discretion));
        let catalog = Catalog::open(
            home.clone(),
            key.public(),
            TableVersions { seccomp: metnos_executor::wire::SECCOMP_TABLE, core: lands.core_version() },
            Arc::new(DbCounters(Arc::clone(&db))),
        );
        let runtime = Self {
            host: HostDoor::new(&home),
            alive: Mutex::default(),
            key,
            catalog,
            audit,
            db,
            journal,
            locks,
            kept: crate::keeping::Fresh::default(),
            guards: crate::guards::Guards::load(&home.user_home())?,
            tiers: std::sync::RwLock::new(Arc::new(config.tiers.clone())),
            config,
            gate: crate::halt::Gate::open(&state)?,
            meter: crate::guards::Meter::new(&home.audit_dir()),
            discretion,
            vault,
            lands,
            news,
            pool: OnceLock::new(),
            warm: options.warm,
            built: options.built,
            home,
        };
        runtime.seal_once()?;
        runtime.repair()?;
        crate::reserve::hold_back(&state);
        Ok(runtime)
    }

    /// Seals what an older Metnos wrote, once.
    fn seal_once(&self) -> Result<(), Failure> {
        let failed = |e: metnos_memory::Error| Failure::internal(e.to_string());
        if self.db.counter(SEALED).map_err(failed)? == 0 {
            self.seal_again()?;
            self.db.raise(SEALED, 1).map_err(failed)?;
        }
        Ok(())
    }

    /// Closes what a crash left open: changes first, then the lines and calls that tell of them.
    fn repair(&self) -> Result<(), Failure> {
        let failed = |e: metnos_memory::Error| Failure::internal(format!("repair after a crash: {e}"));
        self.recover_changes()?;
        for call_id in self.audit.recover().map_err(failed)? {
            match self.db.interrupt_call(&call_id, None, jiff::Timestamp::now()) {
                // Undo and builtins have lines of their own and no entry among the calls.
                Ok(_) | Err(metnos_memory::Error::UnknownCall { .. }) => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(())
    }

    /// The verified executor of a call; one that does not verify goes to quarantine.
    pub(crate) fn resolve(
        &self,
        name: &ExecutorName,
        version: Option<&str>,
    ) -> Result<Arc<Verified>, Failure> {
        let version: Option<Version> = version
            .map(|v| v.parse().map_err(|e| Failure::wrong_args(format!("version {v}: {e}"))))
            .transpose()?;
        let refuse = |refusal| self.refuse(name, version.as_ref(), refusal);
        let found = self.catalog.resolve(name, version.as_ref()).map_err(refuse)?;
        self.host.check(&self.catalog).map_err(refuse)?;
        Ok(found)
    }

    /// Arguments checked, defaults filled in, lists sealed.
    pub(crate) fn input(
        &self,
        found: &Verified,
        mut args: Map<String, Value>,
        entries: Option<Box<dyn Read>>,
        with: Option<Box<dyn Read>>,
    ) -> Result<Prepared, Failure> {
        let schema = &found.schemas.input;
        let list = |name: &str, source: Option<Box<dyn Read>>| -> Result<Option<List>, Failure> {
            let items = schema.property(name).and_then(metnos_executor::schema::Schema::items);
            match (source, args.get(name)) {
                (Some(_), _) if items.is_none() => Err(Failure::wrong_args(format!(
                    "{} takes no list called {name}",
                    found.manifest.executor.name
                ))),
                (Some(source), _) => List::read(source, name, items).map(Some),
                (None, Some(Value::Array(values))) if items.is_some() => {
                    let list = List::from_values(values, name, items)?;
                    Ok(Some(list))
                }
                (None, _) => Ok(None),
            }
        };
        let (entries, with) = (list("entries", entries)?, list("with", with)?);
        schema.fill_defaults(&mut args);
        // A list that travels apart still counts as given.
        for (name, list) in [("entries", &entries), ("with", &with)] {
            if list.is_some() {
                args.insert(name.into(), Value::Array(Vec::new()));
            }
        }
        schema.check(&Value::Object(args.clone())).map_err(|e| {
            Failure::wrong_args(e.to_string())
                .with_hint(format!("metnos executors show {}", found.manifest.executor.name))
        })?;
        for name in ["entries", "with"] {
            args.shift_remove(name);
        }
        Ok(Prepared { args, entries, with })
    }

    /// The models that executors may ask, if any is bound.
    pub(crate) fn minds(&self) -> Option<&dyn crate::minds::Minds> {
        (!self.tiers().bound().is_empty()).then_some(self as &dyn crate::minds::Minds)
    }

    /// The builtins that can act with the models that are bound and the doors that are open.
    pub fn awake(&self) -> Vec<&'static str> {
        crate::builtin::awake(&|need| match need {
            Need::Model(role) => self.has(role),
            Need::Telegram => self.config.telegram.enabled,
        })
    }

    /// The records of this instance.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// A cell with these mounts, warm if this runtime keeps any.
    pub(crate) fn cell(&self, mounts: &Arc<Mounts>, core: [u8; 32]) -> Result<(Cell, bool), Failure> {
        let launcher = self.launcher()?;
        match self.pool(&launcher) {
            // A pool keeps the host it began with; once another is approved, its cells are not used.
            Some(pool) if pool.runs(&launcher) && !mounts.once => pool.take(mounts, core),
            _ => launcher.start(mounts, core, Start::Now).map(|cell| (cell, false)),
        }
    }

    pub(crate) fn launcher(&self) -> Result<Launcher, Failure> {
        Ok(Launcher { bwrap: crate::host::bwrap(), image: self.host.image()? })
    }

    /// The pool; none when its thread could not be started.
    pub fn pool(&self, launcher: &Launcher) -> Option<&Arc<Pool>> {
        let keeping = if self.warm { Keeping::Ready } else { Keeping::Nothing };
        self.pool.get_or_init(|| Pool::new(launcher.clone(), keeping).ok().map(Arc::new)).as_ref()
    }

    /// How warm cells have served so far: calls that found one, calls that did not; none when none are kept.
    pub fn warm_cells(&self) -> Option<(u64, u64)> {
        let served = self.pool.get()?.as_ref().filter(|_| self.warm)?.served();
        Some((served.hits, served.misses))
    }

    /// Lets the place of a cell that is at work be filled again.
    pub(crate) fn refill(&self) {
        if let Some(pool) = self.pool.get().and_then(Option::as_ref) {
            pool.refill();
        }
    }

    /// A used cell, to be ended later.
    pub(crate) fn spent(&self, cell: Cell) -> Spent {
        Spent { cell: Some(cell), pool: self.pool.get().cloned().flatten() }
    }
}

/// A used cell. Ending it takes a while, so that happens when this is dropped: after the answer was
/// given.
pub(crate) struct Spent {
    cell: Option<Cell>,
    pool: Option<Arc<Pool>>,
}

impl std::fmt::Debug for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spent").finish_non_exhaustive()
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        match (self.cell.take(), &self.pool) {
            (Some(cell), Some(pool)) => pool.give_back(cell),
            (Some(cell), None) => cell.discard(),
            (None, _) => {}
        }
    }
}
