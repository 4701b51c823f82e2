//! What a caller is, at this moment: each call asks again, so a revocation holds from the next step on.

use super::{HOST, Person, Role, persons, slug};
use crate::guards::records::{Kind, One};
use crate::guards::{Level, Principal};
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};

/// What a caller is.
#[derive(Debug)]
pub(crate) enum Standing {
    /// The host, or the instance itself.
    House,
    /// A member or a guest.
    Known(Person),
    /// Somebody who was revoked.
    Revoked,
    /// Their record was not signed by the instance.
    Damaged,
    /// Nobody knows them.
    Stranger,
}

impl Standing {
    /// The level where nothing else was decided: new senders and guests only look.
    pub(crate) fn usual(&self) -> Level {
        match self {
            Self::House => Level::Supervised,
            Self::Known(person) if person.role == Role::Member => Level::Supervised,
            _ => Level::ReadOnly,
        }
    }

    /// True for who answers questions of their own.
    pub(crate) fn answers(&self) -> bool {
        match self {
            Self::House => true,
            Self::Known(person) => person.role == Role::Member,
            _ => false,
        }
    }
}

impl Runtime {
    /// What `caller` is now.
    pub(crate) fn standing(&self, caller: &str) -> Result<Standing, Failure> {
        let user = Principal::parse(caller).user;
        if user == HOST || user == "metnos" {
            return Ok(Standing::House);
        }
        if !slug::is_id(&user) {
            return Ok(Standing::Stranger);
        }
        Ok(match self.one::<Person>(Kind::Person, &user)? {
            One::None => Standing::Stranger,
            One::Good(_, person) if person.id == user && person.role != Role::Host => match person.revoked_at
            {
                Some(_) => Standing::Revoked,
                None => Standing::Known(person),
            },
            One::Good(..) | One::Damaged => Standing::Damaged,
        })
    }

    /// Refuses who was revoked, and whose record cannot be trusted.
    pub(crate) fn admitted(&self, caller: &str) -> Result<Standing, Failure> {
        let user = Principal::parse(caller).user;
        match self.standing(caller)? {
            Standing::Revoked => Err(persons::revoked(&user)),
            Standing::Damaged => {
                let why = format!("the record of {user} is damaged");
                Err(Failure::new(ErrorClass::PolicyViolation, why)
                    .with_hint(format!("metnos policy revoke {user} removes it")))
            }
            standing => Ok(standing),
        }
    }
}
