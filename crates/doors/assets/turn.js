// One turn on the page: its words, its steps as they happen, its answer, what can be done with it.

import { get, make, number, oneOf, post, say, size, took, when } from "./common.js";
import { card } from "./card.js";
import { credential } from "./credential.js";
import { table } from "./table.js";
import { watch } from "./watch.js";

/** Arguments that say which step the list comes from. */
const REFERS = new Set(["from_step", "with_step"]);
const ENDED_WELL = new Set(["done", "partly"]);
const host = document.body.dataset.host === "true";

/** Tells a screen reader. */
function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** What a step is about and what narrows it, in words: where, which names, kinds, sizes and days. */
function narrows(args) {
  const told = Object.entries(args).filter(([name]) => !REFERS.has(name));
  return told.map(([name, value]) => `${oneOf("arg", name).replaceAll("_", " ")} ${valued(name, value)}`).join(" · ");
}

function valued(name, value) {
  if (Array.isArray(value)) return value.map((one) => valued(name, one)).join(", ");
  if (typeof value === "number") return /size|bytes/.test(name) ? size(value) : number(value);
  if (value && typeof value === "object") return Object.entries(value).map(([key, one]) => `${key} ${valued(key, one)}`).join(" ");
  return String(value);
}

/** Keeps the newest turn in sight: all of it, or its beginning where it is taller than the window. */
function reveal(element) {
  if (element !== element.parentElement?.lastElementChild) return;
  const tall = element.getBoundingClientRect().height > window.innerHeight - 200;
  element.scrollIntoView({ block: tall ? "start" : "end" });
}

export class Turn {
  /** `again` sends a request once more. */
  constructor(id, request, began, again) {
    Object.assign(this, { id, request, again, running: true, steps: new Map(), decided: new Set(), forms: 0, picked: 0, open: null });
    this.state = make("p", { class: "state", role: "status" });
    this.timeline = make("ol");
    this.count = make("summary");
    this.story = make("details", { class: "steps", hidden: true }, this.count, this.timeline);
    this.said = make("div", { class: "said" });
    this.acts = make("div", { class: "acts" });
    this.note = make("p", { class: "note", role: "status" });
    this.time = make("time", { datetime: began, text: when(began) });
    const words = make("p", { id: `asked-${id}`, text: request });
    this.element = make("article", { class: "turn", "aria-labelledby": `asked-${id}`, "data-turn": id },
      make("div", { class: "asked" }, words, this.time),
      make("div", { class: "reply" }, this.state, this.story, this.said, this.acts, this.note));
    this.story.addEventListener("toggle", () => this.recall());
    this.working();
  }

  working() {
    this.running = true;
    this.state.className = "state busy";
    this.state.textContent = say("working");
    this.acts.replaceChildren(this.act("cancel", "act-cancel", () => this.cancel()));
  }

  /** Follows it until it has ended or waits for somebody. */
  follow() {
    this.seen = 0;
    watch(this.id, {
      phase: (phase) => this.phase(phase),
      step: (step) => this.step(step),
      approval: (question) => this.asks(question),
      form: (form) => this.wants(form),
      offer: (offer) => this.offers(offer),
      final: (answer) => this.ends(answer),
      trouble: (failure) => this.fails(failure),
      lost: (lost) => {
        this.state.className = lost ? "state lost" : "state busy";
        this.state.textContent = lost ? say("lost-now") : say("working");
      },
    }, (stop) => (this.stop = stop));
  }

  over() {
    this.running = false;
    this.stop?.();
    this.stop = null;
    this.state.textContent = "";
    this.state.className = "state";
  }

  phase(phase) {
    if (phase.phase === "plan") phase.steps.forEach((step, at) => this.mark(at + 1, step.tool, "planned", { args: step.args }));
    if (phase.phase === "model") this.state.textContent = say("thinking");
    if (phase.phase === "says") this.state.textContent = phase.text;
    if (phase.phase === "progress") {
      const done = number(phase.done);
      const looks = phase.unit?.endsWith("looked at");
      const key = looks ? "progress-looks" : "progress-of";
      this.state.textContent = phase.total ? say(key, { n: done, m: number(phase.total) }) : say("progress", { n: done });
    }
  }

  step(step) {
    if (step.state === "begins") this.mark(step.step, step.tool, "begins", {});
    // What waits for a yes has not failed; its card says the rest.
    else if (step.error?.class === "needs_approval") this.mark(step.step, step.tool, "waits", {});
    else this.mark(step.step, step.tool, step.error ? "failed" : step.failed ? "partly" : "done", step);
  }

  /** One line of the timeline. */
  mark(n, tool, state, told) {
    let known = this.steps.get(n);
    if (!known) {
      known = { line: make("li"), args: {} };
      this.steps.set(n, known);
      this.timeline.append(known.line);
    }
    known.tool = tool || known.tool || "";
    known.args = told.args || known.args;
    // An old plan told again takes nothing back.
    if (state !== "planned" || !known.state) known.state = state;
    if (state === "begins") known.began = performance.now();
    const counts = [];
    if (told.ok) counts.push(say("step-ok", { n: number(told.ok) }));
    if (told.failed) counts.push(say("step-failed-count", { n: number(told.failed) }));
    if (known.began && !["begins", "planned", "waits"].includes(state) && !this.recalled) counts.push(took(performance.now() - known.began));
    const why = told.error ? told.error.message : (told.failures || []).join("; ");
    known.line.className = `step is-${known.state}`;
    known.line.replaceChildren(
      make("span", { class: "what", text: known.tool.replaceAll("_", " ") }),
      make("span", { class: "hidden", text: `: ${oneOf("step", known.state)}` }),
      make("span", { class: "args", text: narrows(known.args) }),
      make("span", { class: "counts", text: counts.join(" · ") }));
    if (why) known.line.append(make("span", { class: "bad why", text: why }));
    this.story.hidden = false;
    this.count.textContent = say("steps", { n: number(this.steps.size) });
    if (this.running && !this.story.open && !this.closed) this.story.open = true;
  }

  /** The steps of a turn that ended earlier, when somebody wants to see them. */
  recall() {
    if (!this.story.open) this.closed = true;
    if (!this.story.open || this.running || this.steps.size) return;
    this.recalled = true;
    watch(this.id, { phase: (phase) => phase.phase === "plan" && this.phase(phase), step: (step) => this.step(step) }, () => {});
  }

  asks(question) {
    if (this.decided.has(question.id) || question.standing !== "pending") return;
    this.over();
    const shown = card(question, (answer) => {
      this.decided.add(question.id);
      this.waits = null;
      shown.remove();
      if (answer === null) return this.look();
      this.working();
      this.follow();
    });
    this.waits = question.id;
    this.said.replaceChildren(...[shown, question.note && make("p", { class: "until heard", text: question.note })].filter(Boolean));
    this.acts.replaceChildren();
    reveal(this.element);
    announce(question.text);
  }

  /** Its card was answered in words, or chosen from in them. */
  goesOn() {
    this.decided.add(this.waits);
    this.picked = this.open || this.picked;
    this.waits = this.open = null;
    this.said.replaceChildren();
    this.working();
    this.follow();
  }

  wants(form) {
    // Its fields come with the answer as it stands. While it goes on, what is told of forms is old.
    if (form.credentials) return this.going || this.look();
    if (this.going) return;
    this.seen += 1;
    if (this.seen <= this.forms) return;
    this.over();
    const field = make("input", { type: "text", id: `form-${this.id}`, autocomplete: "off", required: true, maxlength: "4000" });
    const button = make("button", { class: "main", text: say("form-send") });
    const shown = make("form", { class: "card form" }, make("label", { for: `form-${this.id}`, text: form.text }), make("div", { class: "row" }, field, button));
    shown.addEventListener("submit", (event) => {
      event.preventDefault();
      this.forms += 1;
      shown.remove();
      this.working();
      this.follow();
      post(`/agent/forms/${this.id}`, { text: field.value }).catch((problem) => {
        this.over();
        this.note.textContent = problem.text;
        this.look();
      });
    });
    this.said.replaceChildren(shown);
    this.acts.replaceChildren();
    reveal(this.element);
    announce(form.text);
  }

  /** Lets the person choose: one button for each choice, and one for none of them. */
  offers(offer) {
    if (this.picked >= offer.offer || this.going) return;
    this.over();
    const shown = make("div", { class: "card offer", role: "group", "aria-label": offer.text }, make("p", { class: "lines", text: offer.text }));
    const pick = (choice) => {
      for (const button of shown.querySelectorAll("button")) button.disabled = true;
      this.choose(offer.offer, choice);
    };
    for (const one of offer.choices) {
      shown.append(make("button", { type: "button", "data-choice": String(one.number), text: `${one.number}. ${one.says}`, onclick: () => pick(one.number) }));
    }
    shown.append(make("button", { type: "button", class: "quiet", "data-choice": "0", text: say("offer-none"), onclick: () => pick(0) }));
    this.open = offer.offer;
    this.said.replaceChildren(shown);
    this.acts.replaceChildren();
    reveal(this.element);
    announce(offer.text);
  }

  async choose(offer, choice) {
    this.picked = offer;
    this.open = null;
    this.said.replaceChildren();
    this.working();
    this.follow();
    try {
      await post(`/agent/offers/${this.id}`, { offer, choice });
    } catch (problem) {
      this.over();
      this.note.textContent = problem.text;
      this.picked = 0;
      await this.look();
    }
  }

  /** Goes on at the step that lacked a credential. */
  async goOn() {
    this.going = true;
    this.working();
    this.follow();
    try {
      this.show(await post(`/agent/forms/${this.id}`));
    } catch (problem) {
      this.over();
      this.note.textContent = problem.text;
      await this.look();
    }
    this.going = false;
  }

  ends(answer) {
    // One that went on afterwards has another end.
    if (!answer?.turn) return;
    this.over();
    this.show(answer);
    reveal(this.element);
    announce(answer.text);
  }

  fails(failure) {
    this.over();
    this.said.replaceChildren(make("p", { class: "bad", text: failure.hint ? `${failure.message} → ${failure.hint}` : failure.message }));
    this.after("failed");
  }

  /** Asks where it stands. */
  async look() {
    try {
      this.show(await get(`/agent/turns/${this.id}`));
    } catch (problem) {
      this.note.textContent = problem.text;
    }
  }

  /** Shows an answer as it stands. */
  show(answer) {
    this.waits = this.open = null;
    if (answer.status === "running") {
      if (!this.stop) this.follow();
      return;
    }
    this.over();
    if (answer.approval?.standing === "pending") return this.asks({ ...answer.approval, note: answer.note });
    if (answer.offer) return this.offers(answer.offer);
    if (answer.question) {
      this.seen = this.forms;
      return this.wants({ text: answer.question });
    }
    const parts = [];
    if (answer.taken_back) parts.push(make("p", { class: "badge is-undone", text: oneOf("taken", answer.taken_back) }));
    if (answer.status !== "done") parts.push(make("p", { class: `badge is-${answer.status}`, text: oneOf("status", answer.status) }));
    const expired = answer.status === "waits";
    if (expired) parts.push(make("p", { text: say("card-expired") }));
    // What is drawn is not drawn in letters as well.
    const text = answer.picture && answer.drawing ? answer.text.replace(answer.drawing, "").trim() : answer.text;
    if (!expired && text) parts.push(make("p", { class: "lines", text }));
    if (answer.picture) parts.push(make("img", { class: "picture", alt: say("picture-alt", { text: this.request }), src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.picture)}` }));
    if (answer.entries?.length) parts.push(table(this.id, answer.entries, answer.columns || [], answer.count));
    if (answer.next) parts.push(make("p", { class: "next", text: answer.next }));
    if (host) parts.push(...(answer.credentials || []).map((wanted) => credential(wanted, () => this.supplied())));
    if (answer.note) parts.push(make("p", { class: "until heard", text: answer.note }));
    if (answer.by_model) parts.push(make("p", { class: "until", text: say("by-model") }));
    this.said.replaceChildren(...parts.filter(Boolean));
    // What did nothing was not done in any way.
    this.story.hidden = !answer.steps;
    if (!this.steps.size) this.count.textContent = ENDED_WELL.has(answer.status) ? say("steps-show") : say("turn-steps");
    this.story.open = this.story.open && !ENDED_WELL.has(answer.status) && this.steps.size > 0;
    this.after(answer.status, answer.undoable);
  }

  /** A credential was kept: it goes on, unless another one is missing. */
  supplied() {
    if (!this.said.querySelector(".credential")) this.goOn();
  }

  act(name, key, act, more = {}) {
    return make("button", { type: "button", class: "quiet", "data-act": name, text: say(key), onclick: act, ...more });
  }

  after(status, undoable) {
    const acts = [];
    if (status === "asks") acts.push(this.act("go-on", "act-go-on", () => this.goOn()), this.act("cancel", "act-cancel", () => this.giveUp()));
    if (ENDED_WELL.has(status)) acts.push(this.act("star", "act-star", () => this.star(), { title: say("act-star-why") }));
    if (undoable) acts.push(this.act("undo", "act-undo", () => this.undo()));
    if (status !== "asks") acts.push(this.act("repeat", "act-repeat", () => this.again(this.request)));
    if (host) acts.push(make("a", { class: "quiet", href: `/admin/turns/${this.id}`, text: say("act-details") }));
    this.acts.replaceChildren(...acts);
  }

  async cancel() {
    this.state.textContent = say("cancelling");
    await post(`/agent/turns/${this.id}/cancel`).catch((problem) => (this.note.textContent = problem.text));
  }

  /** Wants no more of what lacks a credential. */
  async giveUp() {
    await this.cancel();
    await this.look();
  }

  async star() {
    try {
      const kept = await post(`/agent/turns/${this.id}/feedback`, { feedback: "star" });
      this.note.textContent = kept.plans ? say("starred") : say("starred-none");
    } catch (problem) {
      this.note.textContent = problem.text;
    }
  }

  async undo() {
    const button = this.acts.querySelector("[data-act=undo]");
    if (button) button.disabled = true;
    try {
      const undone = await post(`/agent/turns/${this.id}/undo`);
      await this.look();
      this.note.textContent = [say("undone", { n: number(undone.reversed) }), ...undone.conflicts].join("\n");
    } catch (problem) {
      this.note.textContent = problem.text;
      if (button) button.disabled = false;
    }
  }
}
