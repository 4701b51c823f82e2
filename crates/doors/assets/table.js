// A list as a table: sorts by a column, shows more rows when they are wanted.

import { get, make, number, oneOf, Problem, say, size, when } from "./common.js";

const MORE = 200;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const BYTES = /(^|_)(size|bytes)$/;
/** Where the file of a row can be had. */
const PLACE = Symbol("place");
/** So many pictures are shown beside a list, none larger than this. */
const PICTURES = 12;
const PICTURE_MAX = 20e6;

function shown(key, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return BYTES.test(key) ? size(value) : number(value);
  if (typeof value === "string") return MOMENT.test(value) ? when(value) : value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined || a === "") return 1;
  if (b === null || b === undefined || b === "") return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

/** Whether a row stands for a file that can be taken away: one that was found, not one that was changed. */
function isFile(row) {
  return typeof row.path === "string" && "mtime" in row && "size" in row && row.type !== "dir" && !("files" in row) && !("ok" in row);
}

/** The cell that names a file leads to it. */
function named(row, key, text, keys) {
  if (key !== (keys.includes("name") && "name" in row ? "name" : "path") || !isFile(row)) return null;
  return make("a", { href: row[PLACE], download: row.kind === "image" ? null : true, target: row.kind === "image" ? "_blank" : null, rel: "noopener", title: say("file-take"), text });
}

/** The first pictures among the rows, small. */
function pictures(rows) {
  const found = rows.filter((row) => row.kind === "image" && isFile(row) && row.size <= PICTURE_MAX).slice(0, PICTURES);
  if (!found.length) return null;
  return make("div", { class: "thumbs" }, ...found.map((row) => {
    const name = row.name || row.path;
    const link = make("a", { href: row[PLACE], target: "_blank", rel: "noopener", title: name }, make("img", { loading: "lazy", src: row[PLACE], alt: name }));
    // What no browser shows is only in the list.
    link.firstChild.addEventListener("error", () => link.remove());
    return link;
  }));
}

/** The rows of the answer of a turn, in these columns; `count` is how many there are in all. */
export function table(turn, first, keys, count) {
  const rows = [];
  const take = (part) => part.forEach((row) => {
    row[PLACE] = `/agent/turns/${turn}/files/${rows.length}`;
    rows.push(row);
  });
  take(first);
  if (!keys.length) return null;
  let by = null;
  let down = false;
  const body = make("tbody");
  const foot = make("p", { class: "table-foot" });
  const heads = keys.map((key) => {
    const button = make("button", { type: "button", class: "sort", text: oneOf("column", key).replaceAll("_", " ") });
    button.addEventListener("click", () => {
      down = by === key && !down;
      by = key;
      draw();
    });
    return make("th", { scope: "col", class: rows.some((row) => typeof row[key] === "number") ? "num" : null }, button);
  });

  function draw() {
    const order = rows.slice();
    if (by) order.sort((a, b) => (down ? -1 : 1) * compare(a[by], b[by]));
    heads.forEach((head, at) => {
      if (keys[at] === by) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(
      ...order.map((row) =>
        make("tr", {}, ...keys.map((key) => {
          const text = shown(key, row[key]);
          const kind = typeof row[key] === "number" ? "num" : text.length > 28 ? "long" : text.length > 10 ? "mid" : "nowrap";
          const link = named(row, key, text, keys);
          return link ? make("td", { class: kind }, link) : make("td", { text, class: kind });
        })),
      ),
    );
    foot.replaceChildren(make("span", { text: say("table-rows", { n: number(rows.length), m: number(count) }) }));
    if (rows.length < count) foot.append(make("button", { type: "button", class: "quiet", text: say("table-more"), onclick: more }));
  }

  async function more(event) {
    event.target.disabled = true;
    try {
      const part = await get(`/agent/turns/${turn}/entries?from=${rows.length}&most=${MORE}`);
      take(part.entries);
      count = part.entries.length ? part.count : rows.length;
      draw();
    } catch (problem) {
      foot.append(make("span", { class: "bad", text: problem instanceof Problem ? problem.text : String(problem) }));
    }
  }

  draw();
  const scroller = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("table-label") },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
  return make("div", { class: "list" }, pictures(rows), scroller, foot);
}
