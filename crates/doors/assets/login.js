// Exchanges the token in the fragment of the link for a session, and takes it out of the address.
const said = document.getElementById("said");

function come() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", "/login");
  fetch("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) })
    .then(async (answer) => {
      if (answer.ok) return location.replace("/");
      const problem = (await answer.json()).error;
      said.textContent = problem.message + (problem.hint ? " → " + problem.hint : "");
    })
    .catch(() => { said.textContent = said.dataset.lost; });
}

come();
// A link that is pasted into this open page changes only the fragment: nothing is loaded anew.
addEventListener("hashchange", come);
