// The chat: sends what is typed, shows what happens to it.
const csrf = document.querySelector("meta[name=csrf]").content;
const talk = document.getElementById("talk");
const post = (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-CSRF": csrf }, body: JSON.stringify(body || {}) });
function put(kind, text) { const one = document.createElement("pre"); one.className = kind; one.textContent = text; talk.append(one); return one; }
function watch(turn) {
  const events = new EventSource(`/agent/turns/${turn}/stream`);
  const on = (name, act) => events.addEventListener(name, (event) => act(JSON.parse(event.data)));
  on("step", (step) => put("step", `${step.step} ${step.tool || ""} ${step.state}`));
  on("approval", (card) => {
    const one = put("card", card.text);
    for (const answer of ["once", "no"]) {
      const button = document.createElement("button");
      button.textContent = answer; button.onclick = () => { post(`/agent/approvals/${card.id}`, { answer, wait: false }); one.remove(); };
      one.append(button);
    }
  });
  on("form", (form) => put("answer", form.text));
  on("final", (answer) => { put("answer", answer.text); events.close(); });
}
document.getElementById("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.getElementById("text");
  put("asked", field.value);
  const answer = await (await post("/agent/turn/submit", { text: field.value })).json();
  field.value = "";
  if (answer.turn) watch(answer.turn); else put("answer", answer.error.message);
});
