import type { QuestionRow } from "../protocol/wire";
import type { InboxView } from "./inbox";

const KEY = "sulla.notify";
/** Of one question's words: a notification shows no more. */
const WORDS = 180;

/** What the bell has to do with outside of this page. */
export interface Ringing {
  /** Whether a person wants it, and the browser lets it. */
  allowed(): boolean;
  /** Whether the person looks at the page anyhow. */
  looking(): boolean;
  show(question: QuestionRow): void;
}

/** Rings once for each question that comes while nobody looks. It lives as long as the page. */
export class Bell {
  private known: Set<string> | null = null;
  private more = false;

  constructor(private readonly ringing: Ringing) {}

  /** What waits now. The first time it is what waited already, and nobody is called for that. */
  take({ questions, known, more }: InboxView): void {
    if (!known) return;
    const now = new Map(questions.map((question) => [`${question.thread_id} ${question.id}`, question]));
    const before = this.known;
    this.known = new Set(now.keys());
    // What was only read now has waited before.
    const isRest = this.more && !more;
    this.more = more;
    if (before === null || isRest || !this.ringing.allowed() || this.ringing.looking()) return;
    for (const [id, question] of now) if (!before.has(id)) this.ringing.show(question);
  }
}

/** How this browser stands to notifications. */
export type Permission = "on" | "off" | "denied" | "none";

export function permission(): Permission {
  if (!("Notification" in globalThis)) return "none";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

/** Ask the browser to let this page notify; only ever by a person's click. */
export async function turnOn(): Promise<Permission> {
  if (!("Notification" in globalThis)) return "none";
  if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on");
  return permission();
}

export function turnOff(): Permission {
  localStorage.removeItem(KEY);
  return permission();
}

/** The browser's own notifications. A click on one opens the inbox and does nothing else. */
export function browserRinging(title: string): Ringing {
  return {
    allowed: () => permission() === "on",
    looking: () => document.visibilityState === "visible" && document.hasFocus(),
    show: (question) => {
      const shown = new Notification(title, { body: question.prompt.slice(0, WORDS), tag: question.id });
      shown.onclick = () => {
        window.focus();
        location.hash = "#/inbox";
        shown.close();
      };
    },
  };
}
