//! One turn: a request, its plan, its steps and its end.
//!
//! Pure. [`Machine::step`] takes a state and an event and gives the next state and the effects that a
//! driver must perform; what comes of them is the next event. The events are the turn: fed again they
//! must give the same effects, byte for byte ([`replay`]).

mod bound;
mod consult;
mod ending;
mod event;
mod hold;
mod inputs;
mod machine;
mod named;
mod note;
mod offer;
mod refer;
mod replay;
mod says;
mod stage;
mod things;
mod validate;
mod value;
mod whole;

pub use bound::Bound;
pub use ending::{Ending, Messages, Status};
pub use event::{Around, Credential, Effect, Event, Got, Source, Trouble};
pub use machine::{Helped, Machine, State};
pub use offer::{Reply, numbered};
pub use replay::{Entry, Replayed, replay};
pub use stage::{Kept, Recalled, Stage};
