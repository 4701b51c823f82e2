//! Performs what a turn decides: runs its steps through the runtime, asks the person, keeps the log.
//!
//! Every door uses this: the terminal, the browser and Telegram. It decides nothing.

mod columns;
mod conduct;
mod consult;
mod cut;
mod enter;
mod forms;
mod lists;
mod mind;
mod offer;
mod phases;
mod plans;
mod recall;
mod rehearse;
mod retain;
mod room;
mod scratch;
mod story;
mod trial;
mod view;

pub use columns::{Row, columns, is_place, is_shown};
pub use conduct::{Asked, Gateway, Told, TurnDoor};
pub use consult::Thought;
pub use cut::Cut;
pub use enter::{AtWork, Begun};
pub use forms::Form;
pub use metnos_engine::{Answer, Maker, Plan};
pub use metnos_memory::db::{ModelCall, Turn};
pub use metnos_turn::{Credential, Ending, Event, Messages, Replayed, Reply, Stage, Status, numbered};
pub use offer::OpenOffer;
pub use plans::Listed;
pub use recall::Standing;
pub use rehearse::{Dry, Rehearsed, StepRehearsed};
pub use story::{Beat, Moment, Planned};
pub use trial::{Answered, Example, patient};
pub use view::Seen;
