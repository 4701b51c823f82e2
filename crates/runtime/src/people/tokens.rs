//! Secrets that speak for a person. Only their digest is kept, as the id of a signed row.

use super::words::{host_only, is_past, name, no_person, unrecorded};
use super::{Bearer, Person, Role, TokenKind, TokenListed, persons};
use crate::guards::records::Kind;
use crate::guards::{self, Principal};
use crate::runtime::Runtime;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::{ErrorClass, Failure};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What every secret begins with, so that it is recognised where it does not belong.
const PREFIX: &str = "mn_";
/// A secret is as long as this, prefix included.
const LENGTH: usize = PREFIX.len() + 43;
/// How long a token that is over stays on the list.
const SHOWN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The record of a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Token {
    person: String,
    kind: TokenKind,
    label: String,
    made_at: String,
    expires_at: String,
    revoked_at: Option<String>,
}

impl Token {
    fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && !is_past(&self.expires_at, now)
    }
}

fn lasts(kind: TokenKind) -> SignedDuration {
    match kind {
        TokenKind::Login => SignedDuration::from_mins(10),
        TokenKind::Session => SignedDuration::from_hours(7 * 24),
        TokenKind::Device => SignedDuration::from_hours(365 * 24),
    }
}

/// Where a secret is kept: nowhere. Its digest is.
fn digest(secret: &str) -> Option<String> {
    let fits = secret.len() == LENGTH && secret.starts_with(PREFIX);
    fits.then(|| blake3::hash(secret.as_bytes()).to_hex().to_string())
}

impl Runtime {
    /// A new secret that speaks for `person`. It is shown now and never again.
    pub fn issue_token(
        &self,
        kind: TokenKind,
        person: &str,
        label: &str,
        by: &str,
    ) -> Result<String, Failure> {
        host_only(by, "gives out tokens")?;
        let Some(found) = self.person(person)? else { return Err(no_person(person)) };
        if found.revoked_at.is_some() {
            return Err(persons::revoked(person));
        }
        self.issue(kind, person, label, by)
    }

    fn issue(&self, kind: TokenKind, person: &str, label: &str, by: &str) -> Result<String, Failure> {
        let now = guards::now();
        let label = name("label", label)?;
        let secret = random()?;
        let id = digest(&secret).ok_or_else(|| Failure::internal("a secret of the wrong length"))?;
        let token = Token {
            person: person.to_owned(),
            kind,
            label,
            made_at: now.to_string(),
            expires_at: now.saturating_add(lasts(kind)).unwrap_or(now).to_string(),
            revoked_at: None,
        };
        self.note_people(
            Some(by),
            json!({ "what": "token", "token": short(&id), "of": person, "kind": kind, "label": token.label }),
        )?;
        self.decide(Kind::Token, &id, &token)?;
        self.forget_tokens(now)?;
        Ok(secret)
    }

    /// Whom a login token is for, while it can be used; it is not used up by looking.
    pub fn login_for(&self, secret: &str) -> Result<Option<Person>, Failure> {
        let Some(id) = digest(secret) else { return Ok(None) };
        let Some((_, token)) = self.one::<Token>(Kind::Token, &id)?.good() else { return Ok(None) };
        match token.kind == TokenKind::Login && token.is_live(guards::now()) {
            true => Ok(self.person(&token.person)?.filter(|person| person.revoked_at.is_none())),
            false => Ok(None),
        }
    }

    /// Uses a login token up and gives the secret of a session.
    pub fn exchange_login(&self, secret: &str, label: &str) -> Result<(Person, String), Failure> {
        let label = name("label", label)?;
        let (person, _) = self.use_login(secret, "web", |_| true)?;
        let session = self.issue(TokenKind::Session, &person.id, &label, &format!("{}/web", person.id))?;
        Ok((person, session))
    }

    /// Uses a login token up and pairs whoever sent it with the person it was made for. Not the host: who reads
    /// a link over somebody's shoulder must not become the host for good.
    pub fn accept_invitation(&self, channel: &str, sender: &str, secret: &str) -> Result<Person, Failure> {
        let (channel, sender) = (super::words::channel(channel)?, super::words::sender(sender)?);
        let (person, by) = self.use_login(secret, channel, |person| person.role != Role::Host)?;
        self.pair(channel, sender, &person.id, &by)?;
        Ok(person)
    }

    /// Uses a login token up, if it is for somebody of `whom`.
    fn use_login(
        &self,
        secret: &str,
        channel: &str,
        whom: impl FnOnce(&Person) -> bool,
    ) -> Result<(Person, String), Failure> {
        let now = guards::now();
        let refused = || {
            Failure::new(ErrorClass::Unauthorized, "this link was used, is too old or was never given out")
                .with_hint("metnos login-link makes another")
        };
        let id = digest(secret).ok_or_else(refused)?;
        let (row, mut token) = self.one::<Token>(Kind::Token, &id)?.good().ok_or_else(refused)?;
        if token.kind != TokenKind::Login || !token.is_live(now) {
            return Err(refused());
        }
        let person = self.person(&token.person)?.filter(|person| person.revoked_at.is_none());
        let person = person.filter(whom).ok_or_else(refused)?;
        let by = format!("{}/{channel}", person.id);
        self.note_people(Some(&by), json!({ "what": "login", "token": short(&id), "of": person.id }))?;
        token.revoked_at = Some(now.to_string());
        let used = self.signed(Kind::Token, &id, &token)?;
        // Whoever comes second finds it used.
        if !self.db.redecide(Kind::Token.as_str(), &row, &used, now).map_err(unrecorded)? {
            return Err(refused());
        }
        Ok((person, by))
    }

    /// Who a secret speaks for; `None` when it is unknown, forged, over, taken back or only good for a
    /// login, and when its person is nobody any more.
    pub fn bearer(&self, secret: &str) -> Result<Option<Bearer>, Failure> {
        let Some(id) = digest(secret) else { return Ok(None) };
        self.bearer_of(id)
    }

    /// Whether the token of this id still speaks for somebody.
    pub fn is_live(&self, id: &str) -> Result<bool, Failure> {
        Ok(self.bearer_of(id.to_owned())?.is_some())
    }

    fn bearer_of(&self, id: String) -> Result<Option<Bearer>, Failure> {
        let Some((_, token)) = self.one::<Token>(Kind::Token, &id)?.good() else { return Ok(None) };
        if token.kind == TokenKind::Login || !token.is_live(guards::now()) {
            return Ok(None);
        }
        let person = self.person(&token.person)?.filter(|person| person.revoked_at.is_none());
        let Token { kind, label, expires_at, .. } = token;
        Ok(person.map(|person| Bearer { id, person, kind, label, expires_at }))
    }

    /// The tokens of one person, or of all; the newest first.
    pub fn tokens(&self, person: Option<&str>) -> Result<Vec<TokenListed>, Failure> {
        let rows = self.read::<Token>(Kind::Token, &mut Vec::new())?;
        let wanted = |(_, token): &(String, Token)| person.is_none_or(|person| token.person == person);
        let mut tokens: Vec<TokenListed> = rows
            .into_iter()
            .filter(wanted)
            .map(|(id, Token { person, kind, label, made_at, expires_at, revoked_at })| TokenListed {
                id,
                person,
                kind,
                label,
                made_at,
                expires_at,
                revoked_at,
            })
            .collect();
        tokens.sort_by(|a, b| b.made_at.cmp(&a.made_at).then_with(|| a.id.cmp(&b.id)));
        Ok(tokens)
    }

    /// Takes a token back, by its id or a beginning of it that no other has; the host may, and whose it is.
    pub fn revoke_token(&self, id: &str, by: &str) -> Result<(), Failure> {
        let unknown = || {
            Failure::new(ErrorClass::NotFound, format!("no token is called {id}"))
                .with_hint("metnos devices list")
        };
        let rows = self.db.decisions(Kind::Token.as_str()).map_err(unrecorded)?;
        let mut found = rows.iter().filter(|row| id.len() >= 8 && row.id.starts_with(id));
        let (Some(row), None) = (found.next(), found.next()) else { return Err(unknown()) };
        let mut token = self.verified::<Token>(Kind::Token, row).ok_or_else(unknown)?;
        let who = Principal::parse(by);
        if !who.is_host() && who.user != token.person {
            return Err(unknown());
        }
        self.note_people(
            Some(by),
            json!({ "what": "token revoked", "token": short(&row.id), "of": token.person }),
        )?;
        token.revoked_at.get_or_insert_with(|| guards::now().to_string());
        self.decide(Kind::Token, &row.id, &token)
    }

    pub(super) fn revoke_tokens_of(&self, person: &str, now: &str) -> Result<(), Failure> {
        for row in self.db.decisions(Kind::Token.as_str()).map_err(unrecorded)? {
            let Some(mut token) = self.verified::<Token>(Kind::Token, &row) else { continue };
            if token.person == person && token.revoked_at.is_none() {
                token.revoked_at = Some(now.to_owned());
                self.decide(Kind::Token, &row.id, &token)?;
            }
        }
        Ok(())
    }

    /// Ends every session and every link that was not followed; devices stay. Gives how many there were of each.
    pub(crate) fn end_sessions(&self) -> Result<(usize, usize), Failure> {
        let (now, mut sessions, mut links) = (guards::now(), 0, 0);
        for row in self.db.decisions(Kind::Token.as_str()).map_err(unrecorded)? {
            let Some(mut token) = self.verified::<Token>(Kind::Token, &row) else { continue };
            if !token.is_live(now) {
                continue;
            }
            match token.kind {
                TokenKind::Device => continue,
                TokenKind::Session => sessions += 1,
                TokenKind::Login => links += 1,
            }
            token.revoked_at = Some(now.to_string());
            self.decide(Kind::Token, &row.id, &token)?;
        }
        Ok((sessions, links))
    }

    /// Lets go of what has long been over: a browser that logs in each day leaves a row each day.
    fn forget_tokens(&self, now: Timestamp) -> Result<(), Failure> {
        let gone = |at: &str| at.parse::<Timestamp>().is_ok_and(|at| now.duration_since(at) > SHOWN);
        for row in self.db.decisions(Kind::Token.as_str()).map_err(unrecorded)? {
            let Some(token) = self.verified::<Token>(Kind::Token, &row) else { continue };
            if gone(&token.expires_at) || token.revoked_at.as_deref().is_some_and(gone) {
                self.db.drop_decision(Kind::Token.as_str(), &row).map_err(unrecorded)?;
            }
        }
        Ok(())
    }
}

/// A new secret.
pub(super) fn random() -> Result<String, Failure> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| Failure::internal(format!("no randomness: {e}")))?;
    let secret = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
    bytes.fill(0);
    Ok(secret)
}

/// Enough of an id to find it again.
fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
