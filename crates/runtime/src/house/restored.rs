//! What a restored house must not take up again: it was open when the backup was made, and may be long over.
//!
//! Sessions, login links, codes, questions and what was open over Telegram end. Devices and pairings stay, because
//! without them nobody could come in; they are listed, each with the command that revokes it. A mark stands from the
//! last byte of the restore until all of this is done, and nothing opens the house without doing it.

use crate::call::turn_of;
use crate::guards::{Standing, Void};
use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_executor::home::Home;
use metnos_memory::audit::{Kind, Line};
use metnos_memory::db::TelegramOut;
use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// The mark.
const MARK: &str = "RESTORED";
/// Who does this, in the audit.
const BY: &str = crate::audit_log::RESTORER;

/// What was ended, each with how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Ended {
    /// Sessions of browsers.
    pub sessions: usize,
    /// Login links that nobody had followed.
    pub links: usize,
    /// Questions that waited for an answer.
    pub questions: usize,
    /// What came over Telegram and was not handled, and what was not sent.
    pub messages: usize,
}

fn mark(home: &Home) -> PathBuf {
    home.state_dir().join(MARK)
}

/// What a restore went back to.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Rolled {
    /// When the backup was made.
    pub(super) made_at: String,
    /// How many lines the audit had then.
    pub(super) audit_lines: u64,
}

/// Says that the house was restored and nothing of it was ended yet.
pub(super) fn set_mark(home: &Home, said: &Rolled) -> Result<(), Failure> {
    let path = mark(home);
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
    opened
        .and_then(|mut file| {
            serde_json::to_writer(&mut file, said)?;
            file.sync_all()
        })
        .map_err(|e| Failure::io(path.display(), &e))
}

impl Runtime {
    /// Ends what was open, if this house was just restored; who is cut begins again at the next opening.
    pub(crate) fn settle_restored(&self) -> Result<Option<Ended>, Failure> {
        let path = mark(&self.home);
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let file = match File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(io)?,
        };
        flock(&file, FlockOperation::LockExclusive).map_err(|e| io(e.into()))?;
        // Another process may have done it while this one waited.
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let said = std::fs::read_to_string(&path).map_err(io)?;
        let ended = self.end_what_was_open(&serde_json::from_str(&said).unwrap_or_default())?;
        std::fs::remove_file(&path).map_err(io)?;
        File::open(self.home.state_dir()).and_then(|dir| dir.sync_all()).map_err(io)?;
        Ok(Some(ended))
    }

    fn end_what_was_open(&self, said: &Rolled) -> Result<Ended, Failure> {
        let mut line = Line::new(Kind::Config);
        line.caller = Some(BY.to_owned());
        line.detail = json!({ "what": "restored", "backup": said.made_at, "lines": said.audit_lines,
            "ends": "sessions, links, codes, questions, messages" });
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        let (sessions, links) = self.end_sessions()?;
        self.end_codes()?;
        let questions = self.end_questions()?;
        let messages = self.end_messages()?;
        Ok(Ended { sessions, links, questions, messages })
    }

    /// Voids what waits for an answer, or was allowed and not used. The turn goes first: its question names it.
    fn end_questions(&self) -> Result<usize, Failure> {
        let mut ended = 0;
        for (row, mut approval) in self.recent_approvals(|_| true)? {
            if !matches!(approval.standing, Standing::Pending | Standing::Approved) {
                continue;
            }
            let mut line = Line::new(Kind::Approval);
            line.caller = Some(BY.to_owned());
            line.executor = Some(approval.executor.clone());
            line.detail =
                json!({ "approval": approval.id, "answer": "void", "why": "the house was restored" });
            self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
            if let Some(turn) = approval.call_id.as_deref().and_then(turn_of) {
                self.end_waiting(turn)?;
            }
            approval.void(Void::Restored);
            self.exchange(&row, &approval)?;
            ended += 1;
        }
        Ok(ended)
    }

    /// Nothing that was open over Telegram is run or sent; who was in the middle of something is told so, once in
    /// each chat.
    fn end_messages(&self) -> Result<usize, Failure> {
        let broken = |e: metnos_memory::Error| Failure::internal(e.to_string());
        let mut out: Vec<TelegramOut> = Vec::new();
        for (chat, sender) in self.db.telegram_open_places().map_err(broken)? {
            // Strangers and who was revoked hear nothing.
            let Some(person) = self.sender("telegram", &sender.to_string())? else { continue };
            if out.iter().any(|told| told.chat == chat) {
                continue;
            }
            let text = self.say(&self.language(&person.id), "restored_open", &[]);
            let body = json!({ "chat_id": chat, "text": text }).to_string();
            out.push(TelegramOut { chat, kind: "message", body, reader: Some(sender) });
        }
        let now = jiff::Timestamp::now();
        self.db.telegram_close_all("the house was restored from a backup", &out, now).map_err(broken)
    }
}
