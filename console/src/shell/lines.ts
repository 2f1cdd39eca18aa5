import { NO_CONNECTION } from "../protocol/errors";

/** A passing line: what was told, and when, by the clock of the page in milliseconds. */
export interface Line {
  readonly id: string;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly at: number;
}

/** More lines than these would lie over what people work with. */
const MOST = 2;
/** How long a line is shown unless somebody closes it. */
const SHOWN_MS = { plain: 5000, bad: 10_000 } as const;
/** What was told so shortly before the page went elsewhere tells of that very step. */
const STEP_MS = 1000;

/** The lines with another one below them; what is told again is shown once. */
export function withLine(lines: readonly Line[], line: Line): readonly Line[] {
  return [...lines.filter((one) => one.text !== line.text), line].slice(-MOST);
}

/** How long the page waits until the next line has had its time; null for no lines. */
export function waitMs(lines: readonly Line[], now: number): number | null {
  return lines.length === 0 ? null : Math.max(0, Math.min(...lines.map((line) => line.at + SHOWN_MS[line.tone])) - now);
}

/** The lines whose time is not over. */
export function inTime(lines: readonly Line[], now: number): readonly Line[] {
  return lines.filter((line) => line.at + SHOWN_MS[line.tone] > now);
}

/** The lines that are still of use on another view: errors, and what tells of the step there. */
export function afterStep(lines: readonly Line[], now: number): readonly Line[] {
  return lines.filter((line) => line.tone === "bad" || now - line.at < STEP_MS);
}

/** The lines that are still true with a connection. */
export function connected(lines: readonly Line[]): readonly Line[] {
  return lines.filter((line) => !line.text.includes(NO_CONNECTION));
}
