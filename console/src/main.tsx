import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Connection, type Socket } from "./protocol/connection";
import { cookiesStandInTheWay } from "./protocol/cookies";
import { enter, forgetKey, onOtherTab, sessionKey, ticketFromAddress } from "./protocol/session";
import { App } from "./shell/App";
import { answers, onMissingPart } from "./shell/missing_part";
import { applyTheme } from "./shell/theme";
import "./shell/tokens.css";
import { showIn } from "./text/catalog";
import { Threads } from "./thread/threads";

const connection = new Connection({
  open: () => {
    const address = new URL("./ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    return new WebSocket(address, "sulla.v1") as unknown as Socket;
  },
  sessionKey,
  keyIsDead: forgetKey,
  later: (run, s) => {
    const timer = setTimeout(run, s * 1000);
    return () => clearTimeout(timer);
  },
  chance: Math.random,
  cookiesStandInTheWay: () => cookiesStandInTheWay("./ws"),
});
// A page in the background gets no pictures, but its counts and questions have to be true all the same.
const threads = new Threads(connection, (run) => {
  if (document.visibilityState === "visible") requestAnimationFrame(run);
  else setTimeout(run, 250);
}, {
  wait: (s) => new Promise((done) => setTimeout(done, s * 1000)),
  now: () => Date.now(),
  kept: sessionStorage,
  always: localStorage,
});

applyTheme();
showIn(document.documentElement.lang || "en");
onOtherTab(() => connection.standing.state === "out" && connection.start());
addEventListener("offline", connection.broke);
addEventListener("online", () => connection.standing.state === "lost" && connection.start());

addEventListener("vite:preloadError", () => {
  void onMissingPart({
    isThere: () => answers("./"),
    nowMs: () => Date.now(),
    kept: sessionStorage,
    reload: () => location.reload(),
  });
});

// A ticket that is pasted into the address of a page that is open. The page begins anew with it, and takes it out of the address
// before anything shows it.
addEventListener("hashchange", (event) => {
  if (!location.hash.startsWith("#ticket=")) return;
  event.stopImmediatePropagation();
  location.reload();
});

const ticket = ticketFromAddress();
const first = ticket === null ? null : enter({ ticket });
const root = document.getElementById("page");
if (root === null) throw new Error("the page has no place to draw in");
createRoot(root).render(
  <StrictMode>
    <App connection={connection} threads={threads} first={first} />
  </StrictMode>,
);
