//! Words with a sense of their own, literals, and what points back.

use super::{Mention, Reading, What};
use crate::sense::Sense;
use crate::token::Lit;

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    for (at, token) in reading.lattice.tokens.iter().enumerate() {
        let literal = match &token.lit {
            Lit::Quoted(text) => Some(What::Quoted(text.clone())),
            Lit::Command(text) => Some(What::Command(text.clone())),
            Lit::Url(url) => Some(What::Url(url.clone())),
            Lit::Email(address) => Some(What::Email(address.clone())),
            _ => None,
        };
        all.extend(literal.map(|what| Mention::new(at, at + 1, what)));
        for edge in reading.lattice.at(at) {
            let what = match edge.sense {
                Sense::Act(id) => What::Act(id),
                Sense::Thing(id) => What::Thing(id),
                Sense::Kind(id) => What::Kind(id),
                Sense::Quality(id) => What::Quality(id),
                Sense::Field(id) => What::Field(id),
                Sense::Order(id) => What::Order(id),
                Sense::Stat(id) => What::Stat(id),
                Sense::Group(id) => What::Group(id),
                Sense::Format(id) => What::Format(id),
                Sense::Channel(id) => What::Channel(id),
                Sense::Talk(id) => What::Talk(id),
                Sense::Zone(id) => What::Zone(id),
                Sense::Pronoun(pronoun) => What::Pronoun(pronoun),
                Sense::Operator(operator) => What::Operator(operator),
                Sense::Quantity(quantity) => What::Quantity(quantity),
                _ => continue,
            };
            all.push(Mention { cost: edge.cost, ..Mention::new(at, edge.end, what) });
        }
        if let Some(pronoun) = reading.lattice.attached(at) {
            all.push(Mention::new(at, at + 1, What::Pronoun(pronoun)));
        }
    }
}
