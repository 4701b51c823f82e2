// Exchanges the token in the fragment of the link for a session, and takes it out of the address.
const said = document.getElementById("said");
const token = location.hash.slice(1);
history.replaceState(null, "", "/login");
if (token) {
  fetch("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) })
    .then(async (answer) => {
      if (answer.ok) return location.replace("/");
      const problem = (await answer.json()).error;
      said.textContent = problem.message + (problem.hint ? " → " + problem.hint : "");
    })
    .catch(() => { said.textContent = said.dataset.lost; });
}
