// Streams of events. A browser keeps few connections to one house, so only some are open at once; the others
// wait for their turn, and each turn has a stream of its own.

const MOST = 3;
const queue = [];
let open = 0;

/** Watches a turn. `begun` is given a function that stops it. */
export function watch(turn, heard, begun) {
  const entry = { turn, heard, events: null, over: false };
  begun(() => end(entry));
  queue.push(entry);
  next();
}

function end(entry) {
  if (entry.over) return;
  entry.over = true;
  if (entry.events) {
    entry.events.close();
    open -= 1;
  }
  next();
}

function next() {
  while (open < MOST && queue.length) {
    const entry = queue.shift();
    if (!entry.over) begin(entry);
  }
}

function begin(entry) {
  open += 1;
  const { heard } = entry;
  const events = new EventSource(`/agent/turns/${entry.turn}/stream`);
  entry.events = events;
  let ended = false;
  for (const name of ["phase", "step", "approval", "form", "offer", "final"]) {
    events.addEventListener(name, (event) => {
      if (entry.over) return;
      const told = JSON.parse(event.data);
      if (name === "final" && told?.turn) ended = true;
      heard[name]?.(told);
      if (ended) end(entry);
    });
  }
  events.addEventListener("open", () => heard.lost?.(false));
  // The browser's own errors and the events called `error` come by the same name; only the latter have data.
  events.addEventListener("error", (event) => {
    if (entry.over) return;
    if (event.data) {
      heard.trouble?.(JSON.parse(event.data));
      end(entry);
    } else if (heard.lost) {
      heard.lost(true);
      // Refused, so the browser will not try again by itself: look again in a while.
      if (events.readyState === EventSource.CLOSED) {
        open -= 1;
        entry.events = null;
        setTimeout(() => {
          if (!entry.over) {
            queue.push(entry);
            next();
          }
        }, 3000);
      }
    } else {
      end(entry);
    }
  });
}
