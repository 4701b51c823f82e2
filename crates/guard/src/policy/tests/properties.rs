//! What holds for any ask, any grant and any rule.

use super::*;
use proptest::prelude::*;

const NAMES: [&str; 12] = [
    "compute:pure",
    "fs:read",
    "fs:write",
    "network:http",
    "llm:online",
    "mail:read",
    "mail:send",
    "channel:out",
    "code:exec",
    "system:undo",
    "core",
    "no:such",
];

#[derive(Clone, Debug)]
struct Case {
    level: Level,
    capability: &'static str,
    place: Option<Place>,
    kind: u8,
    target: String,
    flags: [bool; 4],
    grants: Vec<Grant>,
}

impl Case {
    fn ask(&self) -> Ask<'_> {
        let target = match self.kind {
            0 => path(&self.target),
            1 => Target::Host(&self.target),
            2 => Target::Exact(&self.target),
            _ => Target::None,
        };
        let [to_self, reversible, idempotent, side_effects] = self.flags;
        Ask { to_self, reversible, idempotent, side_effects, ..ask(self.capability, self.place, target) }
    }

    fn decide(&self, grants: &[Grant], rules: &[Rule]) -> Ruling {
        registry().decide(self.level, &self.ask(), grants, rules, now(), SESSION)
    }
}

fn targets() -> impl Strategy<Value = String> {
    prop_oneof![Just("/".to_owned()), "(/[ab.]{1,2}){1,3}", "(\\*\\.)?[ab]\\.example\\.com", "[ab]{0,2}",]
}

fn cases() -> impl Strategy<Value = Case> {
    let name = || prop::sample::select(NAMES.to_vec());
    let place = prop::option::of(prop::sample::select(Place::ALL.to_vec()));
    let grants =
        prop::collection::vec((name(), targets()).prop_map(|(name, target)| grant(name, &target)), 0..4);
    let level = prop::sample::select(Level::ALL.to_vec());
    // The ask's own capability and target are granted too, so that grants often match.
    (level, name(), place, 0..4u8, targets(), any::<[bool; 4]>(), grants).prop_map(
        |(level, capability, place, kind, target, flags, mut grants)| {
            grants.push(grant(capability, &target));
            Case { level, capability, place, kind, target, flags, grants }
        },
    )
}

fn rulings() -> impl Strategy<Value = Vec<Ruling>> {
    let of = |case: Case| {
        let rules =
            if case.flags[0] { vec![rule(RuleOn::Capability("fs:write".into()), None)] } else { vec![] };
        case.decide(&case.grants, &rules)
    };
    prop::collection::vec(cases().prop_map(of), 0..5)
}

proptest! {
    #[test]
    fn a_grant_only_turns_an_ask_of_the_class_target_into_an_allow(case in cases()) {
        let (bare, granted) = (case.decide(&[], &[]), case.decide(&case.grants, &[]));
        if bare.decision != granted.decision {
            prop_assert_eq!((bare.decision, granted.decision), (Decision::Ask, Decision::Allow));
            prop_assert_eq!(granted.class, Class::Target);
            let id = granted.grant.clone();
            prop_assert!(id.is_some());
        } else {
            prop_assert_eq!(&bare, &granted);
        }
    }

    #[test]
    fn no_grant_survives_a_rule(case in cases()) {
        let rules = [rule(RuleOn::Capability(case.capability.into()), None)];
        prop_assert_eq!(case.decide(&case.grants, &rules).decision, Decision::Deny);
    }

    #[test]
    fn a_rule_never_makes_anything_easier(case in cases(), forbidden in targets()) {
        let rules = [rule(RuleOn::Capability(case.capability.into()), Some(&forbidden))];
        let (free, ruled) = (case.decide(&case.grants, &[]), case.decide(&case.grants, &rules));
        prop_assert!(ruled.decision >= free.decision);
    }

    #[test]
    fn the_strictest_does_not_depend_on_the_order(mut rulings in rulings(), turn in 0..5usize) {
        let first = strictest(rulings.clone());
        prop_assert_eq!(first.as_ref().map(|r| r.decision), rulings.iter().map(|r| r.decision).max());
        rulings.reverse();
        prop_assert_eq!(&strictest(rulings.clone()), &first);
        let by = turn % rulings.len().max(1);
        rulings.rotate_left(by);
        prop_assert_eq!(&strictest(rulings), &first);
    }

    #[test]
    fn a_path_grant_covers_what_is_below_and_nothing_that_only_begins_alike(
        prefix in "(/[a-c]{1,3}){1,4}", below in "(/[a-c]{1,3}){0,3}", tail in "[a-c]{1,3}",
    ) {
        let grant = grant("fs:read", &prefix);
        let covers = |asked: &str| grant.covers(&ask("fs:read", Some(Place::Outside), path(asked)), now(), SESSION);
        let (under, beside, up) = (format!("{prefix}{below}"), format!("{prefix}{tail}"), format!("{prefix}/.."));
        prop_assert!(covers(&prefix));
        prop_assert!(covers(&under));
        prop_assert!(!covers(&beside));
        prop_assert!(!covers(&up));
        let parent = prefix.rsplit_once('/').map(|(parent, _)| format!("{parent}/")).unwrap();
        prop_assert!(!covers(&parent));
        prop_assert!(!covers(prefix.trim_start_matches('/')));
    }
}
