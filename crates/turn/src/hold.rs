//! A change is not built on another that worked only in part: what could not be copied must not be deleted next.

use crate::Got;
use crate::ending::looks;
use metnos_engine::Plan;

/// How many of the items that did not work are named beside the first.
const NAMED: usize = 5;

/// The items that did not work, when step `number` changes something and an earlier change worked only in part.
/// Which list the two share does not matter: one found again is another list of the same things.
pub(crate) fn unfinished<'a>(plan: &Plan, results: &'a [Got], number: usize) -> Option<&'a Got> {
    if looks(plan, number) {
        return None;
    }
    let partly = |(n, got): &(usize, &Got)| got.fail_count > 0 && !looks(plan, n + 1);
    results.iter().enumerate().find(partly).map(|(_, got)| got)
}

/// The items that did not work, but for the first, which is told already; one a line.
pub(crate) fn others(got: &Got) -> String {
    let line = |item: &String| format!("\n  {item}");
    got.failed.iter().skip(1).take(NAMED).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use metnos_engine::Step;

    fn plan(tools: &[&str]) -> Plan {
        let step = |tool: &&str| Step { tool: (*tool).to_owned(), ..Step::default() };
        Plan { steps: tools.iter().map(step).collect(), ..Plan::default() }
    }

    fn got(failed: u64) -> Got {
        Got { ok_count: 3, fail_count: failed, ..Got::default() }
    }

    #[test]
    fn nothing_is_changed_after_a_change_that_worked_in_part() {
        let plan = plan(&["find_files", "write_files", "find_files", "delete_files"]);
        let results = [got(0), got(1), got(0)];
        assert!(unfinished(&plan, &results[..2], 3).is_none(), "looking is harmless");
        assert!(unfinished(&plan, &results, 4).is_some());
    }

    #[test]
    fn what_could_not_be_looked_at_does_not_hold_a_change_back() {
        let plan = plan(&["find_files", "move_files", "delete_dirs"]);
        assert!(unfinished(&plan, &[got(2), got(0)], 3).is_none());
    }
}
