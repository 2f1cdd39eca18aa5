import type { Connection } from "../../protocol/connection";

/** A file's name made of a conversation's title: letters, digits and hyphens, at most 60 of them. */
export function fileName(title: string, threadId: string, form: "markdown" | "lines"): string {
  const name = title.normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60).replace(/-+$/, "");
  return `${name === "" ? threadId : name}.${form === "markdown" ? "md" : "jsonl"}`;
}

/** All of a conversation's text, piece by piece. */
export async function wholeExport(connection: Pick<Connection, "call">, threadId: string, form: "markdown" | "lines"): Promise<string[]> {
  const parts: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const piece: { text: string; next: number | null } = await connection.call("thread.export", { thread_id: threadId, form, after });
    parts.push(piece.text);
    if (piece.next !== null && piece.next <= after) throw new Error("The daemon sent the same part of the conversation twice; nothing was exported. Try again.");
    after = piece.next;
  }
  return parts;
}

/** Hand a text to the browser as a file. */
export function download(parts: readonly string[], name: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
