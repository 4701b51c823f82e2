//! The whole policy table, written out a second time by hand.

use super::*;

/// One expectation: the capability, where, on what, and the decisions at the three levels (`.` allow,
/// `?` ask, `x` deny) without a grant and with one that matches.
struct Line(&'static str, Where, On, &'static str, &'static str);

#[derive(Clone, Copy)]
enum Where {
    Any,
    In(Place),
    Oneself,
}

#[derive(Clone, Copy)]
enum On {
    Nothing,
    Path,
    Host,
    Text,
}

use On::{Host, Nothing, Path, Text};
use Where::{Any, In, Oneself};

const EXPECTED: [Line; 30] = [
    Line("compute:pure", Any, Nothing, "...", "..."),
    Line("parse:local", Any, Nothing, "...", "..."),
    Line("time:read", Any, Nothing, "...", "..."),
    Line("llm:local", Any, Nothing, "...", "..."),
    Line("dialog:user", Any, Nothing, "...", "..."),
    Line("channel:in", Any, Nothing, "...", "..."),
    Line("fs:read", In(Place::Workspace), Path, "...", "..."),
    Line("fs:read", In(Place::Territory), Path, "?..", "..."),
    Line("fs:read", In(Place::Outside), Path, "x??", "x.."),
    Line("fs:write", In(Place::Workspace), Path, "?..", "?.."),
    Line("fs:write", In(Place::Territory), Path, "x?.", "x.."),
    Line("fs:write", In(Place::Outside), Path, "x??", "x??"),
    Line("network:http", Any, Host, "??.", "..."),
    Line("llm:online", Any, Text, "x?.", "x.."),
    Line("mail:read", Any, Text, "?..", "..."),
    Line("calendar:read", Any, Text, "?..", "..."),
    Line("metnos:read", Any, Text, "?..", "..."),
    Line("system:read", Any, Text, "?..", "..."),
    Line("mail:write", Any, Text, "x?.", "x.."),
    Line("calendar:write", Any, Text, "x?.", "x.."),
    Line("mail:send", Any, Text, "x??", "x??"),
    Line("mail:send", Oneself, Text, "x..", "x.."),
    Line("channel:out", Any, Text, "x??", "x??"),
    Line("channel:out", Oneself, Text, "x..", "x.."),
    Line("metnos:write", Any, Text, "x?.", "x.."),
    Line("code:exec", Any, Text, "x??", "x??"),
    Line("system:admin", Any, Text, "x??", "x??"),
    Line("system:undo", Any, Nothing, "x..", "x.."),
    Line("core", Any, Nothing, "xxx", "xxx"),
    Line("never:heard", Any, Text, "xxx", "xxx"),
];

impl Line {
    fn ask(&self) -> Ask<'static> {
        let (target, _) = self.targets();
        let place = if let In(place) = self.1 { Some(place) } else { None };
        let mut ask = ask(self.0, place, target);
        ask.to_self = matches!(self.1, Oneself);
        // So that only the table speaks, not what lasts.
        ask.reversible = true;
        ask
    }

    /// What is asked about, and the text of a grant that covers it and of one that does not.
    fn targets(&self) -> (Target<'static>, [&'static str; 2]) {
        match self.2 {
            Nothing => (Target::None, ["x", "y"]),
            Path => (path("/home/u/Photos/2026"), ["/home/u/Photos", "/home/u/Pho"]),
            Host => (Target::Host("api.example.com"), ["*.example.com", "example.com"]),
            Text => (Target::Exact("work"), ["work", "wor"]),
        }
    }
}

type Spoil = fn(&mut Grant);

fn decide_all(ask: &Ask<'_>, grants: &[Grant]) -> String {
    let registry = registry();
    let one = |level| match registry.decide(level, ask, grants, &[], now(), SESSION).decision {
        Decision::Allow => '.',
        Decision::Ask => '?',
        Decision::Deny => 'x',
    };
    Level::ALL.map(one).iter().collect()
}

#[test]
fn every_capability_at_every_level_with_and_without_a_grant() {
    for line in &EXPECTED {
        let Line(name, _, _, bare, granted) = line;
        let (ask, (_, [matching, other])) = (line.ask(), line.targets());
        let good = grant(name, matching);
        let check = |case: &str, grants: &[Grant], expected: &str| {
            assert_eq!(decide_all(&ask, grants), expected, "{name} at {:?}, {case}", ask.place);
        };
        check("no grant", &[], bare);
        check("a matching grant", std::slice::from_ref(&good), granted);
        let worthless: [(&str, Spoil); 7] = [
            ("an expired grant", |g| g.expires_at = Some(now())),
            ("a revoked grant", |g| g.revoked_at = Some(at(950_000))),
            ("a grant of tomorrow", |g| g.created_at = at(1_050_000)),
            ("somebody else's grant", |g| g.user = "bruno".into()),
            ("a grant on another channel", |g| g.channel = "telegram".into()),
            ("a grant of another session", |g| g.scope = GrantScope::Session("s0".into())),
            ("a grant for another capability", |g| g.capability.push('x')),
        ];
        for (case, spoil) in worthless {
            let mut bad = good.clone();
            spoil(&mut bad);
            check(case, &[bad], bare);
        }
        check("a grant for another target", &[grant(name, other)], bare);
        check("a grant for no target", &[grant(name, "")], bare);
    }
}

#[test]
fn the_expectations_miss_no_row() {
    let written: Vec<String> = registry().table().iter().map(Row::name).collect();
    // `never:heard` stands for the row `unknown`.
    assert_eq!(written.len(), EXPECTED.len(), "{written:?}");
    for line in &EXPECTED {
        let ask = line.ask();
        assert!(
            written.contains(&registry().row(ask.capability, ask.place, ask.to_self).name()),
            "{}",
            line.0
        );
    }
}

#[test]
fn class_critical_and_target_are_those_of_the_design() {
    let shown: Vec<String> = registry().table().iter().map(|row| row.cells()[..4].join(" | ")).collect();
    let expected = "\
compute:pure | no | none | none
parse:local | no | none | none
time:read | no | none | none
llm:local | no | none | none
dialog:user | no | none | none
channel:in | no | none | none
fs:read in the workspace | no | none | path
fs:read in the territory | no | target | path
fs:read outside the territory | no | target | path
fs:write in the workspace | yes | none | path
fs:write in the territory | yes | target | path
fs:write outside the territory | yes | always | path
network:http | no | target | host
llm:online | no | target | exact
mail:read | no | target | exact
calendar:read | no | target | exact
metnos:read | no | target | exact
system:read | no | target | exact
mail:write | yes | target | exact
calendar:write | yes | target | exact
mail:send | yes | always | exact
mail:send to oneself | yes | none | exact
channel:out | yes | always | exact
channel:out to oneself | yes | none | exact
metnos:write | yes | target | exact
code:exec | yes | always | exact
system:admin | yes | always | exact
system:undo | yes | none | none
core | yes | always | none
unknown | yes | always | none";
    assert_eq!(shown.join("\n"), expected);
}
