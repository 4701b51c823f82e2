// The chat: sends what is typed, shows what happens to it, and what was said before.

import { get, make, Problem, post, say } from "./common.js";
import { card } from "./card.js";
import { Turn } from "./turn.js";

const PAGE = 30;
const LOOK = 15000;
const talk = document.getElementById("talk");
const field = document.getElementById("text");
const welcome = document.getElementById("welcome");
const older = document.getElementById("older");
const elsewhere = document.getElementById("elsewhere");
const turns = new Map();
let oldest = null;

/** An id that orders by time, so that the same words sent twice by a bad line are one request. */
function ulid() {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  let time = Date.now();
  let head = "";
  for (let n = 0; n < 10; n += 1) {
    head = letters[time % 32] + head;
    time = Math.floor(time / 32);
  }
  return head + [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % 32]).join("");
}

function toEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}

function place(turn, first) {
  turns.set(turn.id, turn);
  welcome.hidden = true;
  if (first) talk.prepend(turn.element);
  else talk.append(turn.element);
}

async function send(text) {
  const turn = new Turn(ulid(), text, new Date().toISOString(), send);
  place(turn);
  toEnd();
  await begin(turn);
}

/** The house orders turns by its own clock: it may know one under another id, which ends alike. */
function known(turn, id) {
  turns.delete(turn.id);
  turn.id = id;
  turns.set(id, turn);
}

/** It arrived the first time, only the answer did not. */
async function arrived(turn) {
  const listed = await get("/agent/turns?conversation=main&most=50");
  const same = listed.find((one) => one.turn.slice(10) === turn.id.slice(10));
  if (same) known(turn, same.turn);
  turn.follow();
}

/** The card that a plain yes or no would answer: the newest one on this page that waits. */
function openCard() {
  return [...turns.values()].filter((turn) => turn.waits).at(-1)?.waits;
}

/** The words were the answer to a card above: that turn goes on, and these words stay as they were said. */
function answered(turn, before) {
  turns.delete(turn.id);
  turn.over();
  turn.acts.replaceChildren();
  before.goesOn();
}

async function begin(turn) {
  try {
    const accepted = await post("/agent/turn/submit", { text: turn.request, turn: turn.id, card: openCard() });
    const before = turns.get(accepted.turn);
    if (before && before !== turn) return answered(turn, before);
    known(turn, accepted.turn);
    turn.follow();
    // What was offered before is withdrawn by something else.
    for (const other of turns.values()) if (other.open && other !== turn) other.look();
  } catch (problem) {
    if (problem.status === 409 && turn.sent) return arrived(turn).catch(failed);
    turn.sent = true;
    turn.over();
    turn.note.textContent = problem.text;
    const retry = () => {
      turn.note.textContent = "";
      turn.working();
      begin(turn);
    };
    turn.acts.replaceChildren(turn.act("retry", "act-retry", retry));
  }
}

async function history(before) {
  const query = before ? `&before=${before}` : "";
  const listed = await get(`/agent/turns?conversation=main&most=${PAGE}${query}`);
  const height = document.documentElement.scrollHeight;
  const answers = await Promise.all(listed.map((one) => get(`/agent/turns/${one.turn}`).catch(() => null)));
  listed.forEach((one, at) => {
    if (turns.has(one.turn)) return;
    const turn = new Turn(one.turn, one.request, one.began_at, send);
    place(turn, true);
    if (answers[at]) turn.show(answers[at]);
    else turn.over();
  });
  oldest = listed.at(-1)?.turn || oldest;
  older.hidden = listed.length < PAGE;
  if (before) window.scrollBy({ top: document.documentElement.scrollHeight - height });
  else toEnd();
}

/** What waits for an answer but was asked elsewhere, and what was answered elsewhere meanwhile. */
async function waiting() {
  const cards = await get("/agent/approvals");
  const open = new Set(cards.map((one) => one.id));
  for (const turn of turns.values()) if (turn.waits && !open.has(turn.waits)) turn.look();
  for (const shown of [...elsewhere.querySelectorAll("[data-card]")]) if (!open.has(shown.dataset.card)) shown.remove();
  for (const one of cards) {
    if (turns.has(one.turn) || elsewhere.querySelector(`[data-card="${CSS.escape(one.id)}"]`)) continue;
    const holder = make("div", { "data-card": one.id });
    holder.append(card({ ...one, by: one.asked_by }, () => {
      holder.remove();
      elsewhere.hidden = !elsewhere.querySelector("[data-card]");
    }));
    elsewhere.append(holder);
  }
  elsewhere.hidden = !elsewhere.querySelector("[data-card]");
}

function grow() {
  field.rows = Math.min(8, field.value.split("\n").length);
}

/** The word "details" opens those of the card that waits, and asks for nothing. */
function opensDetails(text) {
  if (!say("words-details").split(", ").includes(text.toLowerCase())) return false;
  const waits = [...turns.values()].filter((turn) => turn.waits).at(-1);
  const shown = waits?.element.querySelector(".card details");
  if (shown) shown.open = true;
  return Boolean(shown);
}

function submit() {
  const text = field.value.trim();
  if (!text) return;
  field.value = "";
  grow();
  if (opensDetails(text)) return;
  send(text);
}

document.getElementById("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
field.addEventListener("input", grow);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const running = [...turns.values()].filter((turn) => turn.running && turn.stop);
  running.at(-1)?.cancel();
});
older.addEventListener("click", () => history(oldest).catch(failed));
for (const example of document.querySelectorAll("[data-example]")) {
  example.addEventListener("click", () => {
    field.value = example.textContent;
    field.focus();
  });
}

function failed(problem) {
  talk.append(make("p", { class: "bad", text: problem instanceof Problem ? problem.text : say("lost") }));
}

history(null).then(waiting).catch(failed);
setInterval(() => {
  if (document.visibilityState === "visible") waiting().catch(() => null);
}, LOOK);
field.focus();
