import { catalog, language } from "./catalog";

const t = catalog("figures", { noPrice: "no price known" });

/** Times and figures as people write them, in the page's language. */
export function clock(at: string): string {
  return new Date(at).toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

export function dayAndClock(at: string): string {
  return new Date(at).toLocaleString(language(), { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
}

/** The time of day with its seconds, with the day where that is another one. */
export function momentOf(at: string): string {
  const moment = new Date(at);
  const today = moment.toDateString() === new Date().toDateString();
  return today
    ? moment.toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" })
    : dayAndClock(at);
}

/** How long something takes or took, from seconds: `0.4 s`, `4 s`, `1 min 30 s`, `2 h 5 min`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.95) return `${Math.max(0.1, seconds).toLocaleString(language(), { maximumFractionDigits: 1 })} s`;
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
  return figure.toLocaleString(language());
}

/** `1.2k`, `3.4M`: where a figure stands in a narrow place. */
export function shortCount(figure: number): string {
  return figure.toLocaleString(language(), { notation: "compact", maximumFractionDigits: 1 });
}

export function dollars(usd: number): string {
  return usd.toLocaleString(language(), { style: "currency", currency: "USD", maximumFractionDigits: usd < 1 ? 4 : 2 });
}

/** What something cost; tokens that came to nothing are of a model whose price is not known. */
export function spent(usd: number, tokens: number): string {
  return usd === 0 && tokens > 0 ? t("noPrice") : dollars(usd);
}
