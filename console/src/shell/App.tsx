import { Suspense, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Router } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { Watch } from "../asked/watch";
import type { Connection } from "../protocol/connection";
import { sentence } from "../protocol/errors";
import { enter, forgetKey, sessionKey, SignedInAlready } from "../protocol/session";
import type { Scope } from "../protocol/wire";
import type { Threads } from "../thread/threads";
import { lacksOf, VIEWS, type View } from "../views/table";
import css from "./App.module.css";
import { Bell, browserRinging } from "./bell";
import { Boundary } from "./Boundary";
import { keepFocus } from "./focus";
import { Inbox } from "./inbox";
import { KillSwitch } from "./KillSwitch";
import { afterStep, connected, inTime, waitMs, withLine, type Line } from "./lines";
import { Live } from "./live";
import { PageContext, TroubleContext, useStanding, type Page } from "./page";
import { Sidebar } from "./Sidebar";
import { Told } from "./Told";
import { WayIn } from "./WayIn";
import { WhoseSession } from "./WhoseSession";
import { t } from "./words";

/**
 * The whole page.
 *
 * @param first the ticket of the address being shown to the daemon; null if it had none.
 */
export function App({ connection, threads, first }: { connection: Connection; threads: Threads; first: Promise<void> | null }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [entering, setEntering] = useState(first !== null);
  const [refused, setRefused] = useState("");
  const [asked, setAsked] = useState<SignedInAlready | null>(null);

  const tell = useCallback((text: string, tone: "plain" | "bad" = "plain") => {
    setLines((before) => withLine(before, { id: crypto.randomUUID(), text, tone, at: performance.now() }));
  }, []);
  const page = useMemo<Page>(
    () => ({ connection, threads, inbox: new Inbox(connection, (run, s) => setTimeout(run, s * 1000)), live: new Live(connection), watch: new Watch(), tell }),
    [connection, threads, tell],
  );
  const standing = useSyncExternalStore(connection.subscribe, () => connection.standing);

  useEffect(() => {
    const wait = waitMs(lines, performance.now());
    if (wait === null) return;
    const timer = setTimeout(() => setLines((before) => inTime(before, performance.now())), wait);
    return () => clearTimeout(timer);
  }, [lines]);
  useEffect(() => {
    const stepped = (): void => setLines((before) => afterStep(before, performance.now()));
    addEventListener("hashchange", stepped);
    return () => removeEventListener("hashchange", stepped);
  }, []);
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.standing.state === "open") setLines(connected);
      }),
    [connection],
  );
  useEffect(() => {
    const bell = new Bell(browserRinging(t("asked")));
    // The first that is told is what waits already: questions are asked for before anything else.
    return page.inbox.subscribe(() => bell.take(page.inbox.view()));
  }, [page]);

  const comeIn = useCallback(
    (entrance: Promise<void>) =>
      entrance
        .then(() => {
          setRefused("");
          connection.start();
        })
        .catch((error: unknown) => {
          if (error instanceof SignedInAlready) setAsked(error);
          else if (sessionKey() === null || connection.standing.state === "out") setRefused(sentence(error));
          else {
            // Whoever is signed in goes on with that, and is told why the ticket did nothing.
            tell(sentence(error), "bad");
            connection.start();
          }
        })
        .finally(() => setEntering(false)),
    [connection, tell],
  );

  useEffect(() => {
    if (first !== null) void comeIn(first);
    else if (sessionKey() !== null) connection.start();
  }, [comeIn, connection, first]);

  const trouble = lines.findLast((line) => line.tone === "bad") ?? null;
  const key = sessionKey();
  const noSession = key === null || standing.state === "out";
  return (
    <PageContext value={page}>
      {entering ? (
        <p className={css.alone}>{t("entering")}</p>
      ) : asked !== null ? (
        <WhoseSession
          asked={asked}
          onStay={() => {
            setAsked(null);
            if (asked.now !== null) connection.start();
            else {
              if (key !== null) forgetKey(key);
              setRefused(t("whoseEnded", { name: asked.had }));
            }
          }}
          onReplace={() => {
            setAsked(null);
            setEntering(true);
            void comeIn(enter({ ticket: asked.ticket, replace: true }));
          }}
        />
      ) : noSession ? (
        <WayIn why={refused || standing.why} onToken={(token) => comeIn(enter({ token }))} />
      ) : (
        <Router hook={useHashLocation}>
          <TroubleContext value={trouble}>
            <Shell />
          </TroubleContext>
        </Router>
      )}
      <Told lines={lines} onClose={(id) => setLines((before) => before.filter((line) => line.id !== id))} />
    </PageContext>
  );
}

function Shell() {
  const [location] = useHashLocation();
  const [path = "", ...rest] = location.replace(/^\//, "").split("/");
  const view = VIEWS.find((one) => one.path === (path === "" ? "live" : path));
  const tail = rest.map(decoded).join("/");
  const { scopes, state } = useStanding();
  useEffect(() => {
    if (state === "open") fetchAhead();
  }, [state]);
  useEffect(() => keepFocus(document), []);
  useEffect(() => {
    document.title = view === undefined ? "Sulla" : `${t(view.path as "live")} · Sulla`;
  }, [view]);
  return (
    <div className={css.shell}>
      <a
        className={css.skip}
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        {t("skip")}
      </a>
      <Sidebar at={view?.path ?? ""} />
      <div className={css.main}>
        <KillSwitch />
        <main id="content" tabIndex={-1} className={css.content}>
          <Boundary key={path}>
            <Suspense fallback={<p>{t("loading")}</p>}>
              {view === undefined ? (
                <p>{t("unknown", { path })}</p>
              ) : lacksOf(view, scopes).length > 0 ? (
                <p>{notAllowed(view, scopes)}</p>
              ) : (
                <view.component rest={tail} />
              )}
            </Suspense>
          </Boundary>
        </main>
      </div>
    </div>
  );
}

/** Why a session may not see a view, and how to get one that may. */
function notAllowed(view: View, scopes: readonly Scope[]): string {
  const needs = view.scopes.map((scope) => `--scope ${scope}`).join(" ");
  return t("notAllowed", { lacks: lacksOf(view, scopes).join(", "), has: scopes.join(", "), needs });
}

/** Once the first view is drawn and nothing else is to do, the others come one by one, so that none is waited for later. */
function fetchAhead(): void {
  const left = VIEWS.map((view) => view.load);
  const next = (): void => {
    const load = left.shift();
    if (load === undefined) return;
    // What fails is fetched again when it is shown, and told there.
    void load()
      .catch(() => undefined)
      .finally(() => requestIdleCallback(next, { timeout: 2_000 }));
  };
  requestIdleCallback(next, { timeout: 2_000 });
}

/** A part of the address as it was meant; one that nobody can read stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
