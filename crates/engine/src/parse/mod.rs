//! A request into clauses, a clause into a frame: typed values, and the words nothing explained.
//!
//! Reading is a sequence of readers over the items of a clause. Each takes the items it explains, so that no
//! word means two things; what is left at the end is the evidence against the reading.

mod alike;
mod apart;
mod apposition;
mod aside;
mod clause;
mod complement;
mod cues;
mod dates;
mod domain;
mod frame;
mod give;
mod goals;
mod hours;
mod item;
mod label;
mod left;
mod mail;
mod math;
mod meant;
mod names;
mod negation;
mod nested;
mod nouns;
mod numbers;
mod part;
mod paths;
mod people;
mod places;
mod read;
mod refer;
mod schedule;
mod several;
mod spare;
mod split;
mod table;
mod twice;
mod unable;
mod unasked;
mod vague;
mod verb;
mod when;
mod wish;

pub(crate) use alike::compared;
pub(crate) use apart::together;
pub(crate) use apposition::appositions;
pub(crate) use aside::{asks, without_purposes, without_reasons};
pub(crate) use clause::Clause;
pub(crate) use frame::{Anaphor, Frame, Order, Sets};
pub(crate) use item::{Item, items};
pub(crate) use names::ending;
pub(crate) use nouns::json;
pub(crate) use paths::whole_paths;
pub(crate) use places::has_ending;
pub(crate) use schedule::{Timing, timing};
pub(crate) use spare::spared;
pub(crate) use split::{CLAUSES, split};
pub(crate) use vague::VAGUE;
pub(crate) use wish::ordered;
