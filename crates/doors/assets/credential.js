// What a step lacked: a credential, given here and never shown again.

import { make, post, say } from "./common.js";

/** A form for one credential; `kept` is called when it is in the vault. */
export function credential(wanted, kept) {
  const fields = wanted.fields.map((name) => {
    const id = `credential-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    const type = /user|account|host|server/.test(name) ? "text" : "password";
    const label = say("form-credential-field", { field: name, name: wanted.name });
    const input = make("input", { id, name, type, required: true, maxlength: "4000", autocomplete: "off" });
    return { input, parts: [make("label", { for: id, text: label }), input] };
  });
  const button = make("button", { class: "main", text: say("form-keep") });
  const told = make("p", { class: "bad", role: "status" });
  const form = make("form", { class: "card form credential" },
    make("p", { text: say("form-credential", { name: wanted.name }) }),
    ...fields.flatMap((field) => field.parts), button, told);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    const values = Object.fromEntries(fields.map(({ input }) => [input.name, input.value]));
    try {
      await post(`/agent/credentials/${encodeURIComponent(wanted.name)}`, { fields: values });
      form.remove();
      kept();
    } catch (problem) {
      told.textContent = problem.text;
      button.disabled = false;
    }
  });
  return form;
}
