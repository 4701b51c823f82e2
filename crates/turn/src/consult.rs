//! What models have to do with a turn: a small one is asked for plainer words when the request could
//! not be read, another one for a plan when there is none, when several readings are possible or when the plan there is
//! cannot run, once more when its plan may not run, and for one repaired plan when a step failed. Its answers are
//! checked like anything that comes from outside, and where it has none, what the planner has by itself stands.

use crate::ending::{Status, looks};
use crate::event::{Effect, Got};
use crate::machine::{Machine, State, Words};
use crate::offer::same_steps;
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

/// What the planner has by itself. It stands where no model has anything better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Own {
    /// Nothing.
    Gap(Gap),
    /// Nothing but an executor of this name, which is out of use.
    Unused(String),
    /// Readings, none of which is plainly meant.
    Offer(Vec<Choice>),
    /// A plan that cannot run.
    Asleep(Plan),
    /// A plan that failed at a step, and why.
    Failed(String),
}

/// What a model was asked, and for what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Consulting {
    /// The request as it was planned.
    text: String,
    /// What stands when no model helps.
    own: Own,
    /// True while plainer words are waited for, not a plan.
    rewriting: bool,
    /// Questions so far.
    tries: u8,
    /// How many tokens the model that plans can hold, once it is known.
    room: Option<u64>,
}

impl Machine {
    /// The request is not plainly understood: models are asked if any are bound, the small one first where there is
    /// nothing at all, else what the planner has stands.
    pub(crate) fn consult(&self, state: &mut State, text: String, own: Own) -> Effect {
        // A word that leaves something out is put in plainer words by nobody.
        let gap = matches!(&own, Own::Gap(gap) if !gap.narrows);
        let consulting = Consulting { text, own, rewriting: gap, tries: 1, room: None };
        let draft = match gap && bound(state, REWRITER) {
            true => self.proposer.rewrite(&consulting.text, &state.language),
            false => None,
        };
        match draft {
            Some(draft) => ask(state, consulting, draft),
            None => self.consult_planner(state, consulting),
        }
    }

    /// A plan is asked for, if somebody is bound to give one. First it is looked up how much can be shown.
    fn consult_planner(&self, state: &mut State, mut consulting: Consulting) -> Effect {
        if !bound(state, PLANNER) {
            return self.stands(state, consulting.own);
        }
        consulting.rewriting = false;
        state.consulting = Some(consulting);
        Effect::Measure { role: PLANNER }
    }

    /// How much the model that plans can hold is known: it is asked.
    pub(crate) fn measured(&self, state: &mut State, tokens: u64) -> Effect {
        let Some(mut consulting) = state.consulting.clone().filter(|known| known.tries > 0) else {
            return self.finish(state, Status::Failed, Some("an answer came to no question".into()));
        };
        consulting.room = Some(tokens);
        match self.draft(state, &consulting, consulting.again()) {
            Some(draft) => ask(state, consulting.clone(), draft),
            None => self.stands(state, consulting.own),
        }
    }

    /// What the planner has by itself.
    fn stands(&self, state: &mut State, own: Own) -> Effect {
        match own {
            Own::Gap(gap) => Effect::Finish(self.messages.gap(&state.language, &gap)),
            Own::Unused(name) => match self.out_of_use(&name) {
                Some(tool) => Effect::Finish(self.messages.dormant(&state.language, tool)),
                None => self.finish(state, Status::Unclear, None),
            },
            Own::Offer(readings) => self.offer(state, readings),
            Own::Asleep(plan) => self.begin(state, plan),
            // A repair that came to nothing leaves the failure as it was.
            Own::Failed(_) => self.finish(state, Status::Failed, None),
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
            Some(Rewritten::Nothing) => return self.stands(state, consulting.own),
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
        let repaired = state.consulting.as_ref().is_some_and(|known| matches!(known.own, Own::Failed(_)));
        if !bound || repaired || !avoidable(&trouble.class) || self.committed(state) {
            return None;
        }
        let text = state.consulting.as_ref().map_or_else(|| asked.text.clone(), |known| known.text.clone());
        let tool = state.plan.as_ref()?.steps.get(state.results.len().checked_sub(1)?)?.tool.clone();
        let own = Own::Failed(format!("{tool}: {}", trouble.message));
        Some(self.consult_planner(state, Consulting { text, own, rewriting: false, tries: 1, room: None }))
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
        let Some(draft) = self.draft(state, &consulting, consulting.again()) else {
            return self.given_up(state, consulting, "invalid", "there is nothing to choose from");
        };
        let why = match self.proposer.read(&draft, &consulting.text, text) {
            Ok(Proposed::Nothing) => return self.stands(state, consulting.own),
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
            return self.given_up(state, consulting, "invalid", &why);
        }
        consulting.tries += 1;
        match self.draft(state, &consulting, Some(Again::Invalid(&why))) {
            Some(draft) => ask(state, consulting, draft),
            None => self.given_up(state, consulting, "invalid", &why),
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
            Some(consulting) => self.given_up(state, consulting, why, said),
            None => self.finish(state, Status::Failed, Some(said.to_owned())),
        }
    }

    /// No model helps. Where the planner has nothing either, whether it could be done is not known.
    fn given_up(&self, state: &mut State, consulting: Consulting, why: &str, said: &str) -> Effect {
        match consulting.own {
            Own::Gap(gap) => Effect::Finish(self.messages.no_model(&state.language, &gap, why, said)),
            own => self.stands(state, own),
        }
    }

    /// What a model planned. It runs where the planner has nothing, and where it is one of the planner's own readings;
    /// where they differ, or the model read the request in several ways, the person chooses.
    fn take(&self, state: &mut State, mut consulting: Consulting, mut plans: Vec<Plan>) -> Effect {
        // A repaired plan begins anew: nothing of the one before was changed.
        state.before += state.results.len();
        state.results.clear();
        consulting.tries = 0;
        let own = consulting.own.clone();
        state.consulting = Some(consulting);
        debug_assert!(plans.iter().all(|plan| plan.source == Maker::Model));
        let readings = match &own {
            Own::Gap(_) | Own::Unused(_) => Vec::new(),
            Own::Failed(_) => {
                plans.truncate(1);
                Vec::new()
            }
            Own::Offer(readings) => readings.clone(),
            Own::Asleep(plan) => vec![Choice { plan: plan.clone(), says: String::new() }],
        };
        // A word that leaves something out is explained away by nobody where something would be changed.
        if matches!(&own, Own::Gap(gap) if gap.narrows) {
            plans.retain(|plan| (1..=plan.steps.len()).all(|step| looks(plan, step)));
        }
        // Beside what the planner has, a plan that cannot run says nothing.
        if !readings.is_empty() {
            plans.retain(|plan| self.asleep(plan).is_none());
        }
        let [plan] = &plans[..] else {
            if plans.is_empty() {
                return self.stands(state, own);
            }
            return self.offer(state, beside(plans, readings));
        };
        let same = readings.iter().find(|reading| same_steps(&reading.plan, plan));
        match same {
            // What was made of the words stays told.
            Some(reading) => self.begin(state, Plan { source: Maker::Model, ..reading.plan.clone() }),
            None if readings.is_empty() => self.run(state, plans.swap_remove(0)),
            None => self.offer(state, beside(plans, readings)),
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
        self.proposer.draft(&request, &state.language, &clock, consulting.room, again)
    }
}

impl Consulting {
    /// What went wrong before the first question, if it is about a plan that failed.
    fn again(&self) -> Option<Again<'_>> {
        match &self.own {
            Own::Failed(why) => Some(Again::Failed(why)),
            _ => None,
        }
    }
}

/// The plans of a model, then the planner's readings.
fn beside(plans: Vec<Plan>, readings: Vec<Choice>) -> Vec<Choice> {
    let plans = plans.into_iter().map(|plan| Choice { plan, says: String::new() });
    plans.chain(readings).collect()
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

#[cfg(test)]
#[path = "consult_tests.rs"]
mod tests;
