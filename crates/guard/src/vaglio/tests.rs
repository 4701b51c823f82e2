#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use metnos_executor::Origin;
use proptest::prelude::*;

fn judge() -> Judge {
    Judge::load().unwrap()
}

/// Moving one file the person named, in the afternoon, with an executor that is often used.
fn plain() -> Facts {
    let arg = |name: &str, value: &str| Arg {
        name: name.into(),
        value: value.into(),
        origin: Origin::User,
        traceable: true,
    };
    Facts {
        executor: "move_files".into(),
        args: vec![arg("paths", "/home/u/a.pdf"), arg("dst_dir", "/home/u/Archive")],
        items: 1,
        deletes: false,
        moves: true,
        side_effects: true,
        reversible: true,
        outbound: false,
        to_self: false,
        hour: 15,
        used_before: 12,
        request: Some(vec!["move".into(), "a.pdf".into(), "archive".into()]),
        approved_days_ago: None,
    }
}

fn with(change: impl Fn(&mut Facts)) -> Facts {
    let mut facts = plain();
    change(&mut facts);
    facts
}

/// Two requests that differ only in `part` land on opposite sides of the threshold.
fn pair(part: &str, quiet: &Facts, doubtful: &Facts) -> Verdict {
    let (passes, asks) = (judge().verdict(quiet, None), judge().verdict(doubtful, None));
    assert!(!passes.ask && passes.score >= passes.threshold, "{part}: {passes:?}");
    assert!(asks.ask && asks.score < asks.threshold, "{part}: {asks:?}");
    for (a, b) in passes.parts.iter().zip(&asks.parts) {
        assert_eq!(a.name == part, a.score != b.score, "{}: {a:?} {b:?}", a.name);
    }
    asks
}

#[test]
fn a_path_that_climbs_out_asks() {
    let asks = pair("path_shape", &plain(), &with(|f| f.args[0].value = "/home/u/../v/a.pdf".into()));
    assert_eq!(
        asks.why,
        "Better ask first: the argument “/home/u/../v/a.pdf” tries to climb out of its folder; you did not approve the same lately."
    );
    for shape in [
        "..",
        "a/..",
        r"a\..\b",
        "%2e%2e/x",
        "a/%252e%252e/b",
        "．．/x",
        "a\0b",
        "a%00",
        "x/ .. /y",
        "a\n../b",
    ] {
        assert!(judge().verdict(&with(|f| f.args[0].value = shape.into()), None).ask, "{shape:?}");
    }
    for shape in ["a..b", "...", "/home/u/..hidden", "50%", "see ..", "v1..v2"] {
        assert!(!judge().verdict(&with(|f| f.args[0].value = shape.into()), None).ask, "{shape:?}");
    }
}

#[test]
fn a_mass_effect_asks() {
    let many = |items: usize| with(move |f| f.items = items);
    pair("mass_effect", &many(20), &many(21));
    let some = |items: usize| with(move |f| (f.items, f.used_before) = (items, 0));
    pair("mass_effect", &some(2), &some(18));
}

#[test]
fn a_schedule_may_carry_a_higher_cap_and_no_cap_is_a_way_round() {
    let (many, few) = (with(|f| f.items = 200), with(|f| f.items = 10));
    assert!(judge().verdict(&many, None).ask);
    assert!(!judge().verdict(&many, Some(200)).ask);
    assert!(judge().verdict(&many, Some(199)).ask);
    assert!(!judge().verdict(&few, Some(0)).ask, "a lower cap changes nothing");
    assert!(judge().with_threshold(0.0).verdict(&many, None).ask, "whatever the threshold");
    assert!(judge().with_items(0).verdict(&plain(), None).ask);
    let deleting = with(|f| (f.items, f.moves, f.deletes) = (21, false, true));
    assert!(judge().verdict(&deleting, None).ask);
    let reading = with(|f| (f.items, f.moves, f.side_effects) = (9000, false, false));
    assert!(!judge().verdict(&reading, None).ask);
}

#[test]
fn somebody_elses_words_in_what_leaves_or_is_destroyed_ask() {
    let fetch = with(|f| (f.outbound, f.side_effects, f.moves) = (true, false, false));
    let mut lured = fetch.clone();
    lured.args[0].origin = Origin::Content;
    let asks = pair("tainted", &fetch, &lured);
    assert!(asks.why.contains("“/home/u/a.pdf” came from a file, not from you"), "{}", asks.why);
    let delete = with(|f| (f.deletes, f.moves) = (true, false));
    for origin in [Origin::Content, Origin::Skill, Origin::Mail, Origin::Web] {
        let mut lured = delete.clone();
        lured.args[0].origin = origin;
        pair("tainted", &delete, &lured);
    }
    let seen = with(|f| f.args[0].origin = Origin::Local);
    assert!(
        !judge().verdict(&Facts { deletes: true, ..seen }, None).ask,
        "names on this machine are not taint"
    );
    assert!(
        !judge().verdict(&Facts { to_self: true, ..lured }, None).ask,
        "to oneself nothing leaves the house"
    );
}

#[test]
fn an_unusual_hour_asks() {
    let at = |hour: u8| with(move |f| (f.hour, f.used_before) = (hour, 0));
    pair("unusual_hour", &at(15), &at(3));
    assert!(!judge().verdict(&at(6), None).ask && judge().verdict(&at(0), None).ask);
    assert!(judge().verdict(&at(24), None).ask, "no clock shows that");
}

#[test]
fn an_executor_never_used_before_asks() {
    let used = |times: u64| with(move |f| (f.hour, f.used_before) = (3, times));
    pair("never_used", &used(1), &used(0));
}

#[test]
fn arguments_that_the_request_does_not_explain_ask() {
    let stray = with(|f| f.args.iter_mut().for_each(|arg| arg.traceable = false));
    pair("untraceable", &plain(), &stray);
    assert!(!judge().verdict(&Facts { request: None, ..stray }, None).ask, "a schedule has no request");
}

#[test]
fn what_cannot_be_undone_asks() {
    pair("reversibility", &plain(), &with(|f| f.reversible = false));
}

#[test]
fn an_act_that_was_not_approved_lately_asks() {
    let approved = |days: Option<u32>| {
        with(move |f| (f.reversible, f.moves, f.approved_days_ago) = (false, false, days))
    };
    pair("recency", &approved(Some(2)), &approved(None));
    pair("recency", &approved(Some(20)), &approved(Some(90)));
}

#[test]
fn looking_is_rarely_a_question() {
    let read = with(|f| {
        (f.executor, f.moves, f.side_effects, f.reversible) = ("read_files".into(), false, false, false);
        (f.hour, f.used_before) = (3, 0);
        f.args.iter_mut().for_each(|arg| arg.traceable = false);
    });
    let verdict = judge().verdict(&read, None);
    assert!(!verdict.ask, "{verdict:?}");
    assert_eq!(verdict.why, "No doubt is large enough to ask.");
}

#[test]
fn a_model_only_adds_doubt() {
    let rules = judge().verdict(&plain(), None);
    let with_model = |model: Option<Result<f64, ()>>| judge().combine_with_model(rules.clone(), model);
    assert_eq!(with_model(None), rules);
    let failed = with_model(Some(Err(())));
    assert_eq!((failed.score, failed.ask), (rules.score, true));
    assert_eq!(failed.parts.last().unwrap().name, "model");
    assert_eq!(with_model(Some(Ok(1.0))).score, rules.score);
    let doubts = with_model(Some(Ok(0.3)));
    assert!(doubts.ask && doubts.score == 0.3 && doubts.why.contains("independent model"), "{doubts:?}");
    assert!(with_model(Some(Ok(0.499_999_999_9))).ask);
    for nonsense in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1, 1.1] {
        let verdict = with_model(Some(Ok(nonsense)));
        assert!(verdict.ask && verdict.score == 0.0, "{nonsense}: {verdict:?}");
    }
}

#[test]
fn a_number_that_makes_no_sense_asks() {
    for threshold in [f64::NAN, 1.5, -0.5, f64::INFINITY] {
        assert!(judge().with_threshold(threshold).verdict(&plain(), None).ask, "{threshold}");
    }
    let file = include_str!("../../data/vaglio.toml");
    for (from, to) in
        [("tainted = 0.1", "tainted = nan"), ("threshold = 0.5", "threshold = 2.0"), ("[0, 6]", "[0, 25]")]
    {
        assert!(matches!(Judge::parse(&file.replace(from, to)), Err(JudgeError::Range { .. })), "{to}");
    }
    assert!(Judge::parse(&file.replace("irreversible = 0.55", "")).is_err());
}

#[test]
fn a_verdict_survives_being_written_down() {
    let verdict = judge().verdict(&with(|f| f.reversible = false), None);
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
    assert_eq!(verdict.parts.len(), 8);
}

proptest! {
    #[test]
    fn no_model_ever_raises_a_score_or_drops_a_question(
        items in 0..40usize, hour in 0..30u8, flags in any::<[bool; 6]>(), used in 0..2u64, model in any::<f64>(), fails: bool,
    ) {
        let facts = with(|f| {
            [f.deletes, f.reversible, f.outbound, f.side_effects, f.moves, f.to_self] = flags;
            (f.items, f.hour, f.used_before) = (items, hour, used);
        });
        let rules = judge().verdict(&facts, None);
        prop_assert!((0.0..=1.0).contains(&rules.score));
        prop_assert_eq!(&rules, &judge().verdict(&facts, None));
        let both = judge().combine_with_model(rules.clone(), Some(if fails { Err(()) } else { Ok(model) }));
        prop_assert!(both.score <= rules.score);
        prop_assert!(both.ask || !rules.ask);
    }
}

#[test]
fn the_judge_weighs_the_same_in_every_language() {
    let judges = Judges::load().unwrap();
    let facts = Facts { items: 500, deletes: true, ..plain() };
    let [english, italian] = ["en", "it-CH"].map(|language| judges.of(language).verdict(&facts, None));
    assert_eq!((english.score, english.ask), (italian.score, italian.ask));
    assert!(english.why.starts_with("Better ask") && italian.why.starts_with("Meglio chiedere"));
}
