// The models of the house: looked for, tried and bound.

import "./admin.js";
import { Problem, make, post, say } from "./common.js";

const told = document.getElementById("told");
const look = document.getElementById("model-look");
const bind = document.getElementById("model-bind");
const found = document.getElementById("model-found");
const shown = document.getElementById("model-shown");
const which = document.getElementById("model-which");
const confirm = document.getElementById("model-confirm");

function lines(place, texts) {
  place.replaceChildren(...texts.map((text) => make("p", { class: "words", text })));
}

async function send(path, body, control, done) {
  control.disabled = true;
  told.textContent = say("working");
  told.classList.remove("bad");
  try {
    done(await post(path, body));
    told.textContent = "";
  } catch (problem) {
    told.textContent = problem instanceof Problem ? problem.text : String(problem);
    told.classList.add("bad");
  }
  control.disabled = false;
}

/** What the second form names. */
function chosen() {
  const [url, model] = JSON.parse(which.value || "[]");
  return { url, model, credential: bind.elements.credential.value.trim() || null };
}

look?.addEventListener("submit", (event) => {
  event.preventDefault();
  const ports = look.elements.ports.value.split(/[^0-9]+/).filter(Boolean).map(Number);
  send("/admin/models/look", { ports }, look.querySelector("button"), (answer) => {
    lines(found, answer.lines);
    which.replaceChildren(...answer.models.map(({ url, model }) =>
      make("option", { value: JSON.stringify([url, model]), text: `${model} (${url})` })));
    bind.hidden = answer.models.length === 0;
    confirm.hidden = true;
    shown.replaceChildren();
  });
});

bind?.addEventListener("submit", (event) => {
  event.preventDefault();
  send("/admin/models/try", chosen(), bind.querySelector("button"), (answer) => {
    lines(shown, answer.lines);
    confirm.hidden = !answer.changes;
  });
});

bind?.addEventListener("change", () => {
  confirm.hidden = true;
});

confirm?.addEventListener("click", () => {
  send("/admin/models/bind", chosen(), confirm, (answer) => {
    lines(shown, answer.lines);
    confirm.hidden = true;
  });
});
