import { language } from "../../text/catalog";

/** When something was written down, to the second, so that entries of one minute are told apart. */
export function logTime(at: string): string {
  return new Date(at).toLocaleString(language(), { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
}
