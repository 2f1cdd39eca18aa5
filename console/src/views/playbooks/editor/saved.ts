import { codeOf } from "../../../protocol/errors";
import type { PlaybookText } from "../../../protocol/generated";

/** A playbook as its file has it. */
export interface Saved {
  readonly text: string;
  /** By which the daemon knows what was there before; null for a playbook that there is not yet. */
  readonly digest: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly trouble: string;
}

export function savedOf(told: PlaybookText): Saved {
  return { text: told.text, digest: told.saved ?? "", inputs: told.about.inputs, trouble: told.about.trouble };
}

/** What is saved; null where there is nothing any more, undefined where it could not be asked for. */
export async function findSaved(asked: Promise<PlaybookText>): Promise<Saved | null | undefined> {
  try {
    return savedOf(await asked);
  } catch (error) {
    return codeOf(error) === "not_found" ? null : undefined;
  }
}
