// Buttons and forms of the house's pages: what they send, what came of it.

import { Problem, post, say } from "./common.js";

const told = document.getElementById("told");

function tell(text, bad) {
  told.textContent = text;
  told.classList.toggle("bad", Boolean(bad));
}

async function act(path, body, control) {
  control.disabled = true;
  tell(say("working"));
  try {
    const answer = await post(path, body);
    if (answer?.text) {
      tell(answer.text);
      control.disabled = false;
    }
    if (!answer?.stay) location.reload();
  } catch (problem) {
    tell(problem instanceof Problem ? problem.text : String(problem), true);
    control.disabled = false;
  }
}

for (const button of document.querySelectorAll("button[data-post]")) {
  button.addEventListener("click", () => {
    // What cannot be taken back by a click is asked twice, in place.
    if (button.dataset.sure && !button.dataset.asked) {
      button.dataset.asked = button.textContent;
      button.textContent = button.dataset.sure;
      setTimeout(() => {
        button.textContent = button.dataset.asked;
        delete button.dataset.asked;
      }, 5000);
      return;
    }
    act(button.dataset.post, JSON.parse(button.dataset.body || "{}"), button);
  });
}

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(form.dataset.post, Object.fromEntries(new FormData(form)), form.querySelector("button"));
  });
}

// On a phone the menu is one line; this page's place in it is in sight.
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
