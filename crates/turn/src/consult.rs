//! What models have to do with a turn: a small one is asked for plainer words when the request could
//! not be read, another one for a plan when there is none, once more when its plan may not run, and for
//! one repaired plan when a step failed. Its answers are checked like anything
//! that comes from outside.

use crate::ending::Status;
use crate::event::{Effect, Got};
use crate::machine::{Machine, State, Words};
use crate::validate::validate;
use metnos_engine::propose::{ANSWER_TOKENS, Again, Draft, PLAIN_TOKENS, Proposed, Rewritten};
use metnos_engine::{Answer, Choice, Clock, Gap, Maker, Plan, Request};
use metnos_shape::Role;
use metnos_vocab::{Class, ExecutorName};

/// Questions about one plan: the first, and one more when its answer is no plan that may run.
const TRIES: u8 = 2;
/// Who is asked for plans.
const PLANNER: Role = Role::Wise;
/// Who is asked for plainer words.
const REWRITER: Role = Role::Fast;

/// What a model was asked, and for what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Consulting {
    /// The request as it was planned.
    text: String,
    /// What is said when no model helps.
    gap: Gap,
    /// True while plainer words are waited for, not a plan.
    rewriting: bool,
    /// Questions so far.
    tries: u8,
    /// Why the plan before failed at a step, when this is its repair.
    failed: Option<String>,
}

impl Machine {
    /// Nothing fits: models are asked if any are bound, the small one first, else that is said.
    pub(crate) fn consult(&self, state: &mut State, text: String, gap: Gap) -> Effect {
        if gap.narrows {
            return Effect::Finish(self.messages.gap(&state.language, &gap));
        }
        let consulting = Consulting { text, gap, rewriting: true, tries: 1, failed: None };
        let draft = match bound(state, REWRITER) {
            true => self.proposer.rewrite(&consulting.text, &state.language),
            false => None,
        };
        match draft {
            Some(draft) => ask(state, consulting, draft),
            None => self.consult_planner(state, consulting),
        }
    }

    /// A plan is asked for, if somebody is bound to give one.
    fn consult_planner(&self, state: &mut State, mut consulting: Consulting) -> Effect {
        consulting.rewriting = false;
        let draft = if bound(state, PLANNER) { self.draft(state, &consulting, None) } else { None };
        match draft {
            Some(draft) => ask(state, consulting, draft),
            None => Effect::Finish(self.messages.gap(&state.language, &consulting.gap)),
        }
    }

    /// The request in plainer words is planned like any other. What does not help is as if it had not
    /// been asked for.
    fn reworded(&self, state: &mut State, consulting: Consulting, answer: &str) -> Effect {
        let draft = self.proposer.rewrite(&consulting.text, &state.language);
        let made = draft
            .and_then(|draft| self.proposer.rewritten(&draft, &consulting.text, &state.language, answer));
        let plan = match made {
            // Who says that it cannot be done here spares everybody a plan that only looks like one.
            Some(Rewritten::Nothing) => {
                return Effect::Finish(self.messages.gap(&state.language, &consulting.gap));
            }
            Some(Rewritten::Plain(plain)) => self.plan_of(state, &plain),
            None => None,
        };
        match plan {
            Some(plan) => self.take(state, consulting, vec![plan]),
            None => self.consult_planner(state, consulting),
        }
    }

    fn plan_of(&self, state: &State, plain: &str) -> Option<Plan> {
        let Words { now, zone, context, .. } = state.asked.as_ref()?;
        let request = Request { text: plain, language: Some(&state.language), context };
        match self.planner().plan(&request, &Clock::parse(now, zone).ok()?).0 {
            Answer::Plan(plan) => {
                let plan = Plan { source: Maker::Model, ..plan };
                validate(&plan, &self.catalog).is_ok().then_some(plan)
            }
            _ => None,
        }
    }

    /// A step failed: one repaired plan, if the failure is one that a plan can avoid, a model is
    /// bound, and nothing was changed yet. `None`: the failure stands.
    pub(crate) fn repair(&self, state: &mut State, got: &Got) -> Option<Effect> {
        let trouble = got.error.as_ref()?;
        let asked = state.asked.as_ref()?;
        let bound = bound(state, PLANNER);
        let repaired = state.consulting.as_ref().is_some_and(|known| known.failed.is_some());
        if !bound || repaired || !avoidable(&trouble.class) || self.committed(state) {
            return None;
        }
        let text = state.consulting.as_ref().map_or_else(|| asked.text.clone(), |known| known.text.clone());
        let gap =
            Gap { reason: trouble.message.clone(), words: Vec::new(), near: Vec::new(), narrows: false };
        let tool = state.plan.as_ref()?.steps.get(state.results.len().checked_sub(1)?)?.tool.clone();
        let why = format!("{tool}: {}", trouble.message);
        let consulting = Consulting { text, gap, rewriting: false, tries: 1, failed: Some(why.clone()) };
        let draft = self.draft(state, &consulting, Some(Again::Failed(&why)))?;
        Some(ask(state, consulting, draft))
    }

    /// Whether anything outside was changed already. A step that changes things counts as soon as it
    /// ran: also one that failed may have done a part.
    fn committed(&self, state: &State) -> bool {
        let steps = state.plan.iter().flat_map(|plan| &plan.steps);
        steps.zip(&state.results).any(|(step, got)| {
            let changes = ExecutorName::parse(&step.tool).map_or(true, |name| name.class() == Class::Changer);
            // What was refused for its arguments did not begin.
            let begun = got.error.as_ref().is_none_or(|trouble| trouble.class != "wrong_args");
            changes && (begun || got.ok_count > 0)
        })
    }

    /// A text has to be composed before the next step: the small model is asked, or the one that planned.
    pub(crate) fn compose(&self, state: &mut State, what: String) -> Effect {
        let role = if bound(state, REWRITER) { REWRITER } else { PLANNER };
        let request = state.asked.as_ref().map(|asked| asked.text.clone()).unwrap_or_default();
        let Some(draft) = self.proposer.compose(&request, &what, &state.language) else {
            return self.finish(state, Status::Failed, Some(format!("nobody can write {what}")));
        };
        state.composing = Some(what);
        let Draft { system, user, constraint, .. } = draft;
        Effect::Consult { role, system, user, constraint, most_tokens: ANSWER_TOKENS }
    }

    /// The text that was composed, in its place.
    fn composed(&self, state: &mut State, what: String, answer: &str) -> Effect {
        match self.proposer.composed(answer) {
            Some(text) => {
                state.composed.insert(what, text);
                self.invoke(state)
            }
            None => {
                let why = format!("the model wrote nothing usable for “{what}”");
                self.finish(state, Status::Failed, Some(why))
            }
        }
    }

    /// What the model said is a plan that may run, or it is asked once more, or that is the end.
    pub(crate) fn consulted(&self, state: &mut State, text: &str) -> Effect {
        if let Some(what) = state.composing.take() {
            return self.composed(state, what, text);
        }
        let Some(mut consulting) = state.consulting.clone().filter(|known| known.tries > 0) else {
            return self.finish(state, Status::Failed, Some("an answer came to no question".into()));
        };
        if consulting.rewriting {
            return self.reworded(state, consulting, text);
        }
        let again = consulting.failed.clone();
        let Some(draft) = self.draft(state, &consulting, again.as_deref().map(Again::Failed)) else {
            return self.given_up(state, &consulting, "invalid", "there is nothing to choose from");
        };
        let why = match self.proposer.read(&draft, &consulting.text, text) {
            Ok(Proposed::Nothing) if consulting.failed.is_some() => return self.failed(state),
            Ok(Proposed::Nothing) => {
                return Effect::Finish(self.messages.gap(&state.language, &consulting.gap));
            }
            Ok(Proposed::Plans(plans)) => {
                let checked = plans.into_iter().map(|plan| validate(&plan, &self.catalog).map(|()| plan));
                let (fit, unfit): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
                let fit: Vec<Plan> = fit.into_iter().flatten().collect();
                match unfit.into_iter().find_map(Result::err) {
                    Some(invalid) if fit.is_empty() => invalid.to_string(),
                    _ => return self.take(state, consulting, fit),
                }
            }
            Err(why) => why,
        };
        state.helped.refused += 1;
        state.helped.unhelped = Some(why.clone());
        if consulting.tries >= TRIES {
            return self.given_up(state, &consulting, "invalid", &why);
        }
        consulting.tries += 1;
        match self.draft(state, &consulting, Some(Again::Invalid(&why))) {
            Some(draft) => ask(state, consulting, draft),
            None => self.given_up(state, &consulting, "invalid", &why),
        }
    }

    /// No answer came: one sentence why, and what still works.
    pub(crate) fn not_consulted(&self, state: &mut State, why: &str, said: &str) -> Effect {
        state.helped.unhelped = Some(said.to_owned());
        if state.composing.take().is_some() {
            return self.finish(state, Status::Failed, Some(said.to_owned()));
        }
        match state.consulting.clone() {
            // Somebody else may still have a plan.
            Some(consulting) if consulting.rewriting && bound(state, PLANNER) => {
                self.consult_planner(state, consulting)
            }
            Some(consulting) => self.given_up(state, &consulting, why, said),
            None => self.finish(state, Status::Failed, Some(said.to_owned())),
        }
    }

    /// A repair that came to nothing leaves the failure as it was.
    fn given_up(&self, state: &State, consulting: &Consulting, why: &str, said: &str) -> Effect {
        match consulting.failed {
            Some(_) => self.failed(state),
            None => Effect::Finish(self.messages.no_model(&state.language, &consulting.gap, why, said)),
        }
    }

    fn failed(&self, state: &State) -> Effect {
        self.finish(state, Status::Failed, None)
    }

    /// What a model planned runs. Where it read the request in several ways, the person chooses.
    fn take(&self, state: &mut State, mut consulting: Consulting, mut plans: Vec<Plan>) -> Effect {
        // A repaired plan begins anew: nothing of the one before was changed.
        state.before += state.results.len();
        state.results.clear();
        consulting.tries = 0;
        let repairs = consulting.failed.is_some();
        state.consulting = Some(consulting);
        debug_assert!(plans.iter().all(|plan| plan.source == Maker::Model));
        match plans.len() {
            0 => self.failed(state),
            n if n == 1 || repairs => self.run(state, plans.swap_remove(0)),
            _ => {
                let readings = plans.into_iter().map(|plan| Choice { plan, says: String::new() });
                self.offer(state, readings.collect())
            }
        }
    }

    fn draft(&self, state: &State, consulting: &Consulting, again: Option<Again<'_>>) -> Option<Draft> {
        let Words { language, now, zone, context, .. } = state.asked.as_ref()?;
        let clock = Clock::parse(now, zone).ok()?;
        // The conversation as it is written down ends with this very request.
        let text = state.asked.as_ref().map(|asked| &asked.text);
        let context = match context.split_last() {
            Some((last, before)) if Some(last) == text => before,
            _ => context.as_slice(),
        };
        let request = Request { text: &consulting.text, language: language.as_deref(), context };
        self.proposer.draft(&request, &state.language, &clock, again)
    }
}

/// Failures that another plan may avoid: the tool was the wrong one, or its arguments were.
fn avoidable(class: &str) -> bool {
    matches!(class, "wrong_args" | "unsupported_format")
}

/// Whether a model stands behind this role, as it was when the request came.
fn bound(state: &State, role: Role) -> bool {
    state.asked.as_ref().is_some_and(|asked| asked.models.contains(&role))
}

fn ask(state: &mut State, consulting: Consulting, draft: Draft) -> Effect {
    let (role, most_tokens) =
        if consulting.rewriting { (REWRITER, PLAIN_TOKENS) } else { (PLANNER, ANSWER_TOKENS) };
    state.consulting = Some(consulting);
    let Draft { system, user, constraint, .. } = draft;
    Effect::Consult { role, system, user, constraint, most_tokens }
}
