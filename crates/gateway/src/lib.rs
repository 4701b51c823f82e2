//! Performs what a turn decides: runs its steps through the runtime, asks the person, keeps the log.
//!
//! Every door uses this: the terminal now, the browser and Telegram later. It decides nothing.

mod conduct;
mod consult;
mod scratch;

pub use conduct::{Asked, Gateway, Told, TurnDoor};
pub use consult::Thought;
pub use metnos_engine::{Answer, Maker, Plan};
pub use metnos_memory::db::ModelCall;
pub use metnos_turn::{Ending, Replayed, Status};
