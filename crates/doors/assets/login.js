// Exchanges the token in the fragment of the link for a session, and takes it out of the address.
const said = document.getElementById("said");

/** Somebody else is logged in here: the link does not take their place by itself. */
function offer(token) {
  const button = document.createElement("button");
  button.id = "switch";
  button.textContent = said.dataset.switch;
  button.addEventListener("click", () => enter(token, true));
  said.append(document.createElement("br"), button);
}

function enter(token, other) {
  fetch("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token, switch: other }) })
    .then(async (answer) => {
      if (answer.ok) return location.replace("/");
      const problem = (await answer.json()).error;
      said.textContent = problem.message + (problem.hint ? " → " + problem.hint : "");
      if (answer.status === 409) offer(token);
    })
    .catch(() => { said.textContent = said.dataset.lost; });
}

function come() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", "/login");
  enter(token, false);
}

come();
// A link that is pasted into this open page changes only the fragment: nothing is loaded anew.
addEventListener("hashchange", come);
