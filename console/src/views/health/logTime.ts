import { times } from "../../text/forms";

const TO_THE_SECOND = times({ dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

/** When something was written down, to the second, so that entries of one minute are told apart. */
export function logTime(at: string): string {
  return TO_THE_SECOND(new Date(at));
}
