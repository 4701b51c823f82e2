// A question that waits for a yes, with real buttons.

import { make, post, say, when } from "./common.js";

/** What is behind a card, for whoever wants to know more. */
function details(sentences) {
  if (!sentences?.length) return null;
  return make("details", { class: "fold" }, make("summary", { text: say("card-details") }),
    make("ul", {}, ...sentences.map((text) => make("li", { text }))));
}

/** The card; `decided` is called once an answer was taken. */
export function card(question, decided) {
  const note = make("p", { class: "note", role: "status" });
  const [first, ...rest] = question.text.split("\n");
  const id = `card-${question.id}`;
  const choices = [
    ["once", "card-once", "main"],
    question.can_last && ["session", "card-session", ""],
    question.can_last && ["always", "card-always", ""],
    ["no", "card-no", ""],
    ["never", "card-never", "quiet"],
  ].filter(Boolean);
  const buttons = choices.map(([answer, key, kind]) =>
    make("button", { type: "button", class: kind, "data-answer": answer, text: say(key), onclick: () => choose(answer) }));

  async function choose(answer) {
    buttons.forEach((button) => (button.disabled = true));
    note.textContent = "";
    try {
      await post(`/agent/approvals/${question.id}`, { answer, wait: false });
      decided(answer);
    } catch (problem) {
      note.textContent = problem.text;
      // Answered elsewhere, or too late: there is nothing left to decide here.
      if (problem.status === 409 || problem.status === 404) decided(null);
      else buttons.forEach((button) => (button.disabled = false));
    }
  }

  const left = new Date(question.expires_at).getTime() - Date.now();
  const until = make("p", { class: "until", text: say("card-until", { when: when(question.expires_at) }) });
  if (left < 2 ** 31 - 1) {
    setTimeout(() => {
      buttons.forEach((button) => (button.disabled = true));
      until.textContent = say("card-expired");
    }, Math.max(0, left));
  }
  return make("section", { class: "card", role: "group", "aria-labelledby": id },
    make("h3", { id, text: first }),
    rest.length && make("p", { class: "lines", text: rest.join("\n") }),
    details(question.details),
    question.by && make("p", { class: "until", text: say("card-by", { who: question.by }) }),
    make("div", { class: "choices" }, ...buttons), until, note);
}
