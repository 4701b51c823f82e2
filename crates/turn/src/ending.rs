//! The honest end: said from what happened, never from what was meant to happen.

use crate::machine::CANCELLED;
use crate::says::Sayings;
use crate::things::{Folders, is_of_files, manner, rows};
use crate::value::{put, readable, spoken, total_of, value_of};
use crate::{Credential, Got, Trouble};
use metnos_engine::catalog::Tool;
use metnos_engine::{Catalog, Gap, Maker, Plan, Step};
use metnos_vocab::{Class, ExecutorName, said_in};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything was done.
    Done,
    /// Some items were not.
    Partly,
    /// It stopped at a step.
    Failed,
    /// A question waits for an answer; until then nothing runs.
    Waits,
    /// The person stopped it.
    Cancelled,
    /// What is missing was asked for and not said.
    Unclear,
    /// Nothing in the catalog does it.
    Gap,
    /// It would work, if something were there that is not.
    Dormant,
    /// One thing is missing: nobody was there to say it, or it is a credential that nobody kept.
    Asks,
}

impl Status {
    /// Whether the request was not understood.
    pub fn is_unread(self) -> bool {
        matches!(self, Self::Gap | Self::Unclear)
    }

    /// As it is written down.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Partly => "partly",
            Self::Failed => "failed",
            Self::Waits => "waits",
            Self::Cancelled => "cancelled",
            Self::Unclear => "unclear",
            Self::Gap => "gap",
            Self::Dormant => "dormant",
            Self::Asks => "asks",
        }
    }
}

/// What is said at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ending {
    /// How it ended.
    pub status: Status,
    /// The sentences, in the person's language.
    pub text: String,
    /// The step whose list is the answer, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<usize>,
    /// The step that looked for the answer and found nothing: "them" means nothing then, not what was found before.
    #[serde(skip)]
    pub nothing: Option<usize>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The question that waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// The credentials that are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Credential>,
    /// Words that nothing explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// True when a model made the plan.
    #[serde(skip_serializing_if = "is_false")]
    pub by_model: bool,
    /// The answer as a picture, where `text` draws it in letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// What was made of the words: which were taken for others, and which were not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The sentences of every language.
#[derive(Clone, Debug)]
pub struct Messages(BTreeMap<&'static str, Language>, Sayings);

/// The sentences of one language, from its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    /// By verb: what was done, with `{count}` and `{things}`.
    did: BTreeMap<String, String>,
    /// By status.
    status: BTreeMap<String, String>,
    /// By object: one and many.
    things: BTreeMap<String, [String; 2]>,
    /// By argument: the question for it.
    question: BTreeMap<String, String>,
    /// By argument: the request again, with the answer in it.
    answer: BTreeMap<String, String>,
    /// A request to keep a credential, and the words that stand before its name.
    keep: Keep,
    /// Words that answer a question: yes, no, and that nobody wants it any more.
    reply: BTreeMap<String, Vec<String>>,
    /// By why: what keeps an executor from running, with `{way}`.
    dormant: BTreeMap<String, String>,
    /// By why: what is said when no model answered.
    model: BTreeMap<String, String>,
    /// Sentences of their own.
    say: BTreeMap<String, String>,
}

/// How a credential is asked to be kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keep {
    /// The request, with `{names}`.
    request: String,
    /// Words before a name. What stands there without one may be the secret itself.
    before: Vec<String>,
}

/// A file of sentences that cannot be read.
pub(crate) type MessagesError = metnos_tongue::TextError;

const FILE: &str = "messages.toml";

impl Messages {
    /// Those that ship with this binary.
    pub fn shipped() -> Result<Self, MessagesError> {
        let sentences = metnos_tongue::tables(FILE)?;
        Ok(Self(sentences.into_iter().collect(), Sayings::shipped()?))
    }

    /// A plan in one short sentence.
    pub(crate) fn sayings(&self) -> &Sayings {
        &self.1
    }

    /// The sentences of a language, or the English ones where it has none.
    fn of(&self, language: &str) -> Option<&Language> {
        self.0.get(metnos_tongue::of(language).code)
    }

    pub(crate) fn say(&self, language: &str, key: &str, values: &[(&str, &str)]) -> String {
        // One thing is spoken of otherwise than several, where a sentence says how.
        let single = values.contains(&("count", "1")).then(|| format!("{key}_one"));
        let found = self.of(language).and_then(|sentences| {
            single.and_then(|single| sentences.say.get(&single)).or_else(|| sentences.say.get(key))
        });
        put(found.map_or("", String::as_str), values)
    }

    /// The words of every language that answer a question so.
    pub(crate) fn words<'a>(&'a self, which: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.values().filter_map(move |l| l.reply.get(which)).flatten().map(String::as_str)
    }

    /// The one question for what is missing.
    pub(crate) fn question(&self, language: &str, missing: &[String]) -> String {
        let known =
            self.of(language).and_then(|sentences| missing.iter().find_map(|m| sentences.question.get(m)));
        match known {
            Some(question) => question.clone(),
            None => self.say(language, "missing", &[("missing", &missing.join(", "))]),
        }
    }

    /// The request as it would have been with the answer in it: so that an answer is read with the same
    /// eyes as a request.
    pub(crate) fn answered(&self, language: &str, request: &str, missing: &[String], answer: &str) -> String {
        let known = self.of(language).and_then(|sentences| {
            missing.iter().find_map(|m| sentences.answer.get(m)).or_else(|| sentences.answer.get("other"))
        });
        let request = request.trim_end_matches(|c: char| c.is_whitespace() || ".?!".contains(c));
        put(
            known.map_or("{request} {answer}", String::as_str),
            &[("request", request), ("answer", answer.trim())],
        )
    }

    /// Nothing fits.
    pub(crate) fn gap(&self, language: &str, gap: &Gap) -> Ending {
        let words = gap.words.join(", ");
        let key = if gap.words.is_empty() { "gap" } else { "gap_words" };
        let reason = said_in(language, &gap.reason);
        let mut text = self.say(language, key, &[("words", &words), ("reason", &reason)]);
        if !gap.near.is_empty() {
            text.push('\n');
            text.push_str(&self.say(language, "near", &[("near", &gap.near.join(", "))]));
        }
        Ending { text, words: gap.words.clone(), ..Ending::bare(Status::Gap) }
    }

    /// Nothing fits, and the model that might have helped did not. Whether it could be done is not
    /// known, so this is no gap.
    pub(crate) fn no_model(&self, language: &str, gap: &Gap, why: &str, said: &str) -> Ending {
        let words = gap.words.join(", ");
        let key = if gap.words.is_empty() { "alone" } else { "alone_words" };
        let (reason, said) = (said_in(language, &gap.reason), said_in(language, said));
        let mut lines = vec![self.say(language, key, &[("words", &words), ("reason", &reason)])];
        let known = self.of(language).is_some_and(|sentences| sentences.model.contains_key(why));
        let key = if known { why } else { "other" };
        let found = self.of(language).and_then(|sentences| sentences.model.get(key));
        lines.push(put(found.map_or("", String::as_str), &[("said", &said)]));
        lines.push(self.say(language, "still_works", &[]));
        Ending { text: lines.join("\n"), words: gap.words.clone(), ..Ending::bare(Status::Failed) }
    }

    /// Says so when a model made the plan, and what was made of the words.
    pub(crate) fn made_by(&self, language: &str, plan: &Plan, ending: &mut Ending) {
        ending.note = self.note(language, plan);
        if plan.source != Maker::Model {
            return;
        }
        let steps: Vec<&str> = plan.steps.iter().map(|step| step.tool.as_str()).collect();
        let line = self.say(language, "by_model", &[("steps", &steps.join(" → "))]);
        ending.by_model = true;
        ending.text = if ending.text.is_empty() { line } else { format!("{}\n{line}", ending.text) };
    }

    /// What can be asked for, from the catalog as it is now.
    pub(crate) fn help(&self, language: &str, catalog: &Catalog) -> Ending {
        let (awake, asleep): (Vec<&Tool>, Vec<&Tool>) =
            catalog.tools().partition(|tool| tool.dormant.is_none());
        let mut lines = vec![self.say(language, "help", &[("count", &awake.len().to_string())])];
        for tool in awake {
            let scope = tool.scope.get(language).or_else(|| tool.scope.values().next());
            lines.push(format!("  {:<22} {}", tool.name.as_str(), scope.map_or("", String::as_str)));
        }
        lines.push(self.say(language, "help_asleep", &[("count", &asleep.len().to_string())]));
        Ending { text: lines.join("\n"), ..Ending::bare(Status::Done) }
    }

    /// Something of it was taken back while it waited.
    pub(crate) fn undone(&self, language: &str) -> Ending {
        Ending { text: self.say(language, "undone", &[]), ..Ending::bare(Status::Cancelled) }
    }

    /// What is said where nothing is to be done.
    pub(crate) fn spoken(&self, language: &str, what: &str) -> Ending {
        Ending { text: self.say(language, what, &[]), ..Ending::bare(Status::Done) }
    }

    /// Why a step did not do what it should. A credential is never asked for where its value would be kept.
    fn trouble(&self, language: &str, trouble: &Trouble) -> String {
        if trouble.credentials.is_empty() {
            return trouble.message.clone();
        }
        let names: Vec<&str> = trouble.credentials.iter().map(|wanted| wanted.name.as_str()).collect();
        self.say(language, "lacks", &[("names", &names.join(", "))])
    }

    /// A request to keep credentials as it may be written down: of `names` only those that were said to be names, in
    /// quotes or after a word that stands before one. Nothing where all of them were.
    pub fn keeping(&self, language: &str, text: &str, names: &[String]) -> Option<String> {
        let keep = &self.of(language)?.keep;
        let lower = text.to_lowercase();
        let said = |name: &&String| {
            let quoted = ['\'', '"', '“', '«'].iter().any(|mark| lower.contains(&format!("{mark}{name}")));
            let words: Vec<&str> = lower.split_whitespace().collect();
            let after = |pair: &[&str]| {
                pair[1].trim_matches(|c: char| !c.is_alphanumeric()) == name.as_str()
                    && keep.before.iter().any(|word| word == pair[0])
            };
            quoted || words.windows(2).any(after)
        };
        let known: Vec<String> = names.iter().filter(said).map(|name| format!("'{name}'")).collect();
        (known.len() < names.len())
            .then(|| put(&keep.request, &[("names", &known.join(", "))]).trim_end().to_owned())
    }

    /// Why an executor cannot run, by the key of the reason.
    pub fn asleep(&self, language: &str, why: &str, way: &str) -> String {
        let found = self.of(language).and_then(|sentences| sentences.dormant.get(why));
        put(found.map_or(why, String::as_str), &[("way", way)])
    }

    /// A step that cannot run.
    pub(crate) fn dormant(&self, language: &str, tool: &Tool) -> Ending {
        let way = tool.way.as_deref().unwrap_or_default();
        let reason = self.asleep(language, tool.dormant.as_deref().unwrap_or_default(), way);
        let text = self.say(language, "dormant", &[("tool", tool.name.as_str()), ("reason", &reason)]);
        Ending { text, next: tool.way.clone(), ..Ending::bare(Status::Dormant) }
    }

    /// What one step did, in one sentence.
    fn did(&self, language: &str, step: &Step, got: &Got) -> Option<String> {
        // Who knows what its rows are says so itself.
        if let Some(summary) = got.fields.get("summary").and_then(Value::as_str) {
            return Some(summary.to_owned());
        }
        let sentences = self.of(language)?;
        if let Some((bytes, files)) = total_of(got) {
            let size = readable(bytes).unwrap_or_else(|| format!("{bytes:.0} B"));
            let things = sentences.things.get("files").map_or("", |nouns| &nouns[usize::from(files != 1)]);
            let said = [("size", size.as_str()), ("count", &files.to_string()), ("things", things)];
            return Some(self.say(language, "in_all", &said));
        }
        let tool = step.tool.as_str();
        let name = ExecutorName::parse(tool).ok()?;
        let verb = manner(step).or_else(|| name.verb().map(|verb| verb.as_str()));
        let template =
            verb.and_then(|verb| sentences.did.get(verb)).or_else(|| sentences.did.get("other"))?;
        let nouns = rows(&name)
            .or_else(|| name.object().map(|object| object.as_str()))
            .and_then(|things| sentences.things.get(things))
            .or_else(|| sentences.things.get("other"))?;
        let count = match verb {
            // What went in is counted by its handler, what came of it by its list.
            Some("group") => got.count,
            // Its list says what it claims.
            _ if got.claimed.is_some() => got.ok_count,
            _ => got.ok_count.max(if got.fail_count == 0 { got.count } else { 0 }),
        };
        let stayed = got.fields.get("unchanged").and_then(Value::as_u64).unwrap_or(0).min(count);
        let count = count - stayed;
        let single = verb.filter(|_| count == 1).and_then(|verb| sentences.did.get(&format!("{verb}_one")));
        let template = single.unwrap_or(template);
        let (count, things) = match Folders::among(got).filter(|_| is_of_files(&name)) {
            Some(folders) => folders.told(self, language, &sentences.things, count),
            None => (count, nouns[usize::from(count != 1)].clone()),
        };
        let things = things.as_str();
        if count == 0 && name.class() == Class::Changer {
            // Where something failed, that is told beside; nothing came of it to be told.
            let said = if stayed > 0 {
                self.stayed(language, nouns, stayed)
            } else {
                self.say(language, "did_nothing", &[("things", things)])
            };
            return (got.fail_count == 0).then_some(said);
        }
        if verb == Some("create") && got.fields.get("existed").and_then(Value::as_u64) == Some(count) {
            return Some(self.say(language, "existed", &[("count", &count.to_string()), ("things", things)]));
        }
        let did = put(template, &[("count", &count.to_string()), ("things", things), ("tool", tool)]);
        Some(if stayed > 0 { format!("{did} {}", self.stayed(language, nouns, stayed)) } else { did })
    }

    /// Of how many things nothing had to be done.
    fn stayed(&self, language: &str, nouns: &[String; 2], count: u64) -> String {
        let (key, things) = if count == 1 { ("stayed_one", &nouns[0]) } else { ("stayed", &nouns[1]) };
        self.say(language, key, &[("count", &count.to_string()), ("things", things)])
    }
}

/// How far a plan came.
#[derive(Clone, Copy)]
pub(crate) struct SoFar<'a> {
    pub(crate) plan: &'a Plan,
    /// What came of its steps.
    pub(crate) results: &'a [Got],
    /// Steps after those that somebody was asked about, and that were not wanted.
    pub(crate) asked: usize,
}

impl Ending {
    fn bare(status: Status) -> Self {
        Self {
            status,
            text: String::new(),
            show: None,
            next: None,
            approval: None,
            credentials: Vec::new(),
            words: Vec::new(),
            by_model: false,
            picture: None,
            note: None,
            nothing: None,
        }
    }

    /// A question that nobody was there to answer.
    pub fn asks(text: String) -> Self {
        Self { text, ..Self::bare(Status::Asks) }
    }

    /// What is said of a plan that came so far.
    pub(crate) fn tell(
        messages: &Messages,
        language: &str,
        status: Status,
        SoFar { plan, results, asked }: SoFar<'_>,
        why: Option<String>,
    ) -> Self {
        let mut ending = Self::bare(status);
        let mut lines = Vec::new();
        let last = results.len();
        for (n, (step, got)) in plan.steps.iter().zip(results).enumerate() {
            let changes = !looks(plan, n + 1);
            // Of what only looked, what nothing goes on from is an answer; what changed something is always told.
            let answers = n + 1 == last || !changes && stands_alone(plan, n + 1);
            if got.error.is_none() && (changes || answers) {
                let spoken = answers.then(|| spoken(plan, results, n + 1, last)).flatten();
                lines.extend(spoken.or_else(|| messages.did(language, step, got)));
            }
            if let Some(claimed) = got.claimed.filter(|_| got.error.is_none()) {
                let (claimed, seen) = (claimed.to_string(), got.ok_count.to_string());
                lines.push(messages.say(language, "claimed", &[("claimed", &claimed), ("seen", &seen)]));
            }
            if got.fail_count > 0 {
                let first = got.failed.first().map_or("", String::as_str);
                let count = got.fail_count.to_string();
                lines.push(messages.say(language, "failed_items", &[("count", &count), ("first", first)]));
            }
            // What was asked for with its number is not cut.
            let asked = |cut: &&str| step.args.keys().any(|name| cut.ends_with(&format!("({name})")));
            if let Some(cut) = got.truncated.as_deref().filter(|cut| !asked(cut)) {
                lines.push(messages.say(language, "truncated", &[("cap", cut)]));
            }
        }
        let is_list = |got: &Got| got.error.is_none() && got.count > 0 && value_of(got).is_none();
        let shows = |n: &usize| {
            let answers = *n == last || looks(plan, *n) && stands_alone(plan, *n);
            // What changed something and says so in its own words has said what its rows would.
            let told = |got: &Got| !looks(plan, *n) && got.fields.contains_key("summary");
            answers && results.get(n - 1).is_some_and(|got| is_list(got) && !told(got))
        };
        ending.show = (1..=last).rev().find(shows);
        let empty = |n: &usize| {
            let found = results.get(n - 1).is_some_and(|got| got.error.is_none() && got.count == 0);
            found && looks(plan, *n) && results.get(n - 1).and_then(value_of).is_none()
        };
        ending.nothing = Some(last).filter(|last| *last > 0 && empty(last));
        if let Some(trouble) = results.last().and_then(|got| got.error.as_ref()) {
            ending.approval = trouble.approval.clone();
            ending.next = trouble.hint.clone();
            ending.credentials = trouble.credentials.clone();
            lines.push(messages.trouble(language, trouble));
        }
        let fields = results.last().map(|got| &got.fields);
        let drawn = fields.filter(|fields| fields.contains_key("plain"));
        ending.picture = drawn.and_then(|fields| fields.get("text")?.as_str()).map(str::to_owned);
        let left = plan.steps.len().saturating_sub(last + asked);
        if left > 0 && matches!(status, Status::Failed | Status::Cancelled) {
            let key = if left == 1 { "not_begun_one" } else { "not_begun" };
            lines.push(messages.say(language, key, &[("count", &left.to_string())]));
        }
        lines.extend(why);
        // Who said no reads that, not that something stopped.
        let told = results.last().and_then(|got| got.error.as_ref()).is_some_and(|e| e.class == CANCELLED);
        let opening =
            messages.of(language).filter(|_| !told).and_then(|sentences| sentences.status.get(status.word()));
        lines.splice(0..0, opening.filter(|text| !text.is_empty()).cloned());
        ending.text = lines.join("\n");
        ending
    }
}

/// Whether a step, counted from 1, changes nothing.
pub(crate) fn looks(plan: &Plan, step: usize) -> bool {
    let name = plan.steps.get(step - 1).and_then(|step| ExecutorName::parse(&step.tool).ok());
    name.is_none_or(|name| name.class() != Class::Changer)
}

/// Whether no other step goes on from this one, counted from 1.
fn stands_alone(plan: &Plan, step: usize) -> bool {
    let slot = format!("${{step{step}.");
    !plan.steps.iter().any(|other| {
        let refers = |name: &str| other.args.get(name).and_then(Value::as_u64) == Some(step as u64);
        refers("from_step")
            || refers("with_step")
            || Value::Object(other.args.clone()).to_string().contains(&slot)
    })
}
