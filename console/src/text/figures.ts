import { catalog } from "./catalog";
import { numbers, times } from "./forms";

const t = catalog("figures", { noPrice: "no price known" });

const CLOCK = times({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const CLOCK_WITH_SECONDS = times({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const DAY_AND_CLOCK = times({ dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const TENTHS = numbers({ maximumFractionDigits: 1 });
const WHOLE = numbers({});
const SHORT = numbers({ notation: "compact", maximumFractionDigits: 1 });
const DOLLARS = numbers({ style: "currency", currency: "USD", maximumFractionDigits: 2 });
const CENTS = numbers({ style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** Times and figures as people write them, in the page's language. */
export function clock(at: string): string {
  return CLOCK(new Date(at));
}

export function dayAndClock(at: string): string {
  return DAY_AND_CLOCK(new Date(at));
}

/** The time of day with its seconds, with the day where that is another one. */
export function momentOf(at: string): string {
  const moment = new Date(at);
  const today = moment.toDateString() === new Date().toDateString();
  return today ? CLOCK_WITH_SECONDS(moment) : DAY_AND_CLOCK(moment);
}

/** How long something takes or took, from seconds: `0.4 s`, `4 s`, `1 min 30 s`, `2 h 5 min`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.95) return `${TENTHS(Math.max(0.1, seconds))} s`;
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return s % 60 === 0 ? `${minutes} min` : `${minutes} min ${s % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** Seconds from `at` to `nowMs`. */
export function sinceS(at: string, nowMs: number): number {
  return (nowMs - Date.parse(at)) / 1000;
}

export function count(figure: number): string {
  return WHOLE(figure);
}

/** `1.2k`, `3.4M`: where a figure stands in a narrow place. */
export function shortCount(figure: number): string {
  return SHORT(figure);
}

export function dollars(usd: number): string {
  return usd < 1 ? CENTS(usd) : DOLLARS(usd);
}

/** What something cost; tokens that came to nothing are of a model whose price is not known. */
export function spent(usd: number | null, tokens: number): string {
  if (usd === null && tokens === 0) return "–";
  return usd === null || (usd === 0 && tokens > 0) ? t("noPrice") : dollars(usd);
}
