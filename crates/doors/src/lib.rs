//! The doors people come in by: the browser, programs, Telegram; and who is who at each of them.
//!
//! A door converts messages and renders replies, cards and forms. It decides nothing: every request goes
//! through the gateway, and every state change through the guards behind it.

mod answer;
mod api;
mod counts;
mod house;
mod hub;
mod instance;
mod listen;
mod modelling;
mod pace;
mod pages;
mod patient;
mod said;
mod shield;
mod steps;
mod stream;
mod talk;
mod telegram;
mod tls;
mod undone;
mod watched;
mod who;
mod words;

pub use answer::{Card, CredentialForm, OfferCard, OfferChoice, ROWS, Stands, TurnAnswer};
pub use api::{OpenForm, Rows, TurnListed, TurnRequest};
pub use house::House;
pub use instance::{Instance, Serving};
pub use listen::{Listening, serve};
pub use modelling::shown_enough;
pub use shield::Origins;
pub use steps::{ModelAsked, TurnSteps};
pub use talk::ANSWER_EACH;
pub use tls::Certificate;
pub use undone::{Left, UndoOutcome, UndoTold, changes, undo};
pub use words::{Speech, Words};
