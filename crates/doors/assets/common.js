// What every page needs: its words, elements without markup, requests that prove where they come from.

const meta = (name) => document.querySelector(`meta[name=${name}]`)?.content || "";
const words = JSON.parse(meta("words") || "{}");
const language = document.documentElement.lang || "en";

/** A sentence of this page, with its values filled in. */
export function say(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** A word of a family, such as the name of a status; the word itself where there is none. */
export function oneOf(family, word) {
  return words[`${family}-${word}`] || word;
}

const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** A text of the world, without signs that hide, turn or move what stands beside it. */
export function clean(text) {
  return String(text).replace(UNSEEN, "\ufffd");
}

/** Attributes that people read. */
const READ = new Set(["title", "alt", "aria-label", "placeholder"]);

/** An element. Texts become text, never markup. */
export function make(tag, options = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") one.textContent = clean(value);
    else if (name === "class") one.className = value;
    else if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else one.setAttribute(name, value === true ? "" : READ.has(name) ? clean(value) : value);
  }
  one.append(...children.filter(Boolean));
  return one;
}

/** What went wrong, in words, with the next step. */
export class Problem extends Error {
  constructor(status, error) {
    super(error?.message || say("lost"));
    this.status = status;
    this.hint = error?.hint;
  }

  get text() {
    return clean(this.hint ? `${this.message} → ${this.hint}` : this.message);
  }
}

async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { Accept: "application/json", ...options.headers } });
  } catch {
    throw new Problem(0, null);
  }
  if (answer.status === 204) return null;
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  if (answer.status === 401) location.assign("/login");
  throw new Problem(answer.status, body?.error);
}

export const get = (path) => send(path, {});
export const post = (path, body = {}) =>
  send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": meta("csrf") },
    body: JSON.stringify(body),
  });

/** A moment as people write it; the day only when it is another one. */
export function when(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const today = at.toDateString() === new Date().toDateString();
  const style = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(language, style).format(at);
}

export const number = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value);

/** Bytes as people read them. */
export function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (bytes >= 1000 && at < units.length - 1) {
    bytes /= 1000;
    at += 1;
  }
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: at ? 1 : 0 }).format(bytes)} ${units[at]}`;
}

/** How long something took. */
export function took(ms) {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(ms / 1000)} s`;
}

document.getElementById("leave")?.addEventListener("click", async () => {
  await post("/logout").catch(() => null);
  location.assign("/login");
});
