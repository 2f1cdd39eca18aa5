import type { Schema } from "../text/schema";

let asked: Promise<Schema> | null = null;

/** Our schema of playbooks, as the daemon serves it. Asked for once for the page, and again where it could not be had. */
export function playbookSchema(): Promise<Schema> {
  asked ??= fetch("./schemas/playbook.json", { signal: AbortSignal.timeout(15_000) })
    .then(async (response) => {
      if (!response.ok) throw new Error(`the schema of playbooks: the daemon answered ${response.status}`);
      return (await response.json()) as Schema;
    })
    .catch((error: unknown) => {
      asked = null;
      throw error;
    });
  return asked;
}
