//! Columns of tables: words beside a word for columns, or where a table is spoken of.

use super::folders::conjunction;
use super::span::{Part, Words};
use super::{Found, What, endings};
use crate::sense::{Cue, Operator, Relation, Sense};
use crate::token::Lit;

/// Adds columns, and the values they are compared with.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    let table = (0..words.len()).any(|at| match words.lit(at) {
        Some(Lit::File(name) | Lit::Path(name) | Lit::Slashed(name)) => endings::is_table(name),
        _ => words.cue(at, Cue::Column).is_some_and(|(_, cost)| cost < 4),
    });
    if !table {
        return loose(words, found);
    }
    for at in 0..words.len() {
        after_cue(words, at, found);
        if is_name(words, at) {
            beside(words, at, found);
        }
    }
}

/// A word that can be the name of a column.
fn is_name(words: &Words<'_>, at: usize) -> bool {
    let word = matches!(words.lit(at), Some(Lit::Word)) && words.part(at) != Part::Binds;
    (word || words.is_quoted(at)) && words.cue(at, Cue::Column).is_none()
}

/// "the column X", "the X column".
fn after_cue(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Column) else { return };
    let mut start = words.skip_idle(end);
    if let Some((named, _)) = words.cue(start, Cue::Named) {
        start = words.skip_idle(named);
    }
    let after = is_name(words, start);
    if after {
        let name = words.text(start, start + 1);
        found.add(words, at, start + 1, What::Column(name), cost);
        value(words, start + 1, 0, found);
    }
    let Some(before) = at.checked_sub(1).filter(|before| is_name(words, *before)) else { return };
    let article = before.checked_sub(1).is_some_and(|b| words.is_idle(b));
    let extra = match (after, article) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 3,
    };
    found.add(words, before, end, What::Column(words.text(before, before + 1)), cost + extra);
}

/// "by X", "of X", "where X is", "X = y"; any other word may be one too.
fn beside(words: &Words<'_>, at: usize, found: &mut Found) {
    let tie = words.relation(at).map(|tie| tie.relation);
    let equals = words.cue(at + 1, Cue::Equals).is_some();
    let counted = words.relates(at + 1, Relation::By).is_some();
    let conditional = words.cue_before(at, Cue::Where).is_some();
    let computed = is_computed(words, at);
    let said =
        |edge: &crate::lattice::Edge| matches!(edge.sense, Sense::Stat(_) | Sense::Act(_) | Sense::Cue(_));
    let having = tie == Some(Relation::With) && !words.edges(at).iter().any(said);
    let cost = if conditional || equals {
        0
    } else if counted || computed || matches!(tie, Some(Relation::By | Relation::Of)) {
        1
    } else if having {
        2
    } else if words.part(at) == Part::Open {
        4
    } else {
        return;
    };
    found.add(words, at, at + 1, What::Column(words.text(at, at + 1)), cost);
    if conditional || equals {
        value(words, at + 1, 0, found);
    } else if having && is_name(words, at + 1) && words.part(at + 1) != Part::Dated {
        // "rows with Status late"
        found.add(words, at + 1, at + 2, What::Text(words.text(at + 1, at + 2)), 2);
    }
}

/// Whether a word for what is computed or sorted stands before.
fn is_computed(words: &Words<'_>, at: usize) -> bool {
    let mut before = at;
    while before > 0 && words.is_idle(before - 1) {
        before -= 1;
    }
    before.checked_sub(1).is_some_and(|before| {
        words.edges(before).iter().any(|edge| match edge.sense {
            Sense::Stat(_) | Sense::Order(_) => true,
            Sense::Act(id) => ["sum", "compute", "sort", "group"].contains(&id.name()),
            _ => false,
        })
    })
}

/// Columns where no table is spoken of, since it was before: "only where X is Y", "sort them by X", "those with state Y".
fn loose(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        if !is_name(words, at) {
            continue;
        }
        let column = || What::Column(words.text(at, at + 1));
        let follows = is_name(words, at + 1) || words.is_quoted(at + 1);
        let tie = words.relation(at).map(|tie| tie.relation);
        let field =
            words.edges(at).iter().any(|edge| edge.cost == 0 && matches!(edge.sense, Sense::Field(_)));
        // In "x=y=z" only the first is compared.
        let first = at == 0 || words.symbol(at - 1) != Some('=');
        let equals = first && words.cue(at + 1, Cue::Equals).is_some();
        let joins = words.reading.lattice.find(at + 1, conjunction).is_some();
        let says = equals || joins || words.is_idle(at + 1) || follows;
        let begins = at == 0
            || words.ends_phrase(at - 1)
            || words.edges(at - 1).iter().any(|edge| matches!(edge.sense, Sense::Operator(Operator::Only)));
        // "where you see a castle": what is done is no column.
        let done = |edge: &crate::lattice::Edge| matches!(edge.sense, Sense::Act(_) | Sense::Cue(_));
        if words.cue_before(at, Cue::Where).is_some() && says && !words.edges(at).iter().any(done) {
            found.add(words, at, at + 1, column(), 2);
            value(words, at + 1, 2, found);
        } else if equals && (begins || words.part(at) == Part::Open) {
            found.add(words, at, at + 1, column(), 3);
            value(words, at + 1, 2, found);
        } else if begins && words.is_idle(at + 1) && words.is_identifier(at + 2) {
            found.add(words, at, at + 1, column(), 3);
            found.add(words, at + 2, at + 3, What::Text(words.text(at + 2, at + 3)), 3);
        } else if tie == Some(Relation::With) && field && follows {
            found.add(words, at, at + 1, column(), 2);
            found.add(words, at + 1, at + 2, What::Text(words.text(at + 1, at + 2)), 3);
        } else if tie == Some(Relation::By) && words.part(at) == Part::Open {
            found.add(words, at, at + 1, column(), 3);
        }
    }
}

/// "… is Rome", "… = debian", "… equal to 'x'".
fn value(words: &Words<'_>, at: usize, cost: u8, found: &mut Found) {
    let mut start = words.cue(at, Cue::Equals).map_or(at, |(end, _)| end);
    // "grade is A": a letter by itself is a value.
    let letter = |at: usize| {
        words.token(at).is_some_and(|t| t.text.chars().count() == 1 && t.text.chars().all(char::is_uppercase))
    };
    while start < at + 4 && words.is_idle(start) && !letter(start) {
        start += 1;
    }
    if start == at {
        // A word for "is" that lost its accent is one for "and".
        let joins = words.reading.lattice.find(at, conjunction).is_some();
        start += usize::from(joins);
    }
    start = words.cue(start, Cue::Equals).map_or(start, |(end, _)| end);
    // "rows with Status late"
    let plain = start == at;
    if plain && !is_name(words, at)
        || !matches!(words.lit(start), Some(Lit::Word | Lit::Quoted(_) | Lit::Number(_)))
    {
        return;
    }
    let end = words.capitals(start).max(start + 1);
    found.add(words, start, end, What::Text(words.text(start, end)), cost + if plain { 2 } else { 0 });
}
