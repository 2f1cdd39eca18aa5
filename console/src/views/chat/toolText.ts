/** Characters of arguments or a result that are shown until somebody asks for all. */
export const SHOWN_CHARS = 4_000;

/** A call's arguments as text: one below the other, texts as they are, the rest as JSON. */
export function argsText(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) as string | undefined) ?? "null";
      return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}

/** The one argument by which people tell calls apart, short enough for a line. */
export function brief(args: Readonly<Record<string, unknown>>): string {
  const names = ["command", "cmd", "path", "url", "query", "pattern", "name", "text"];
  const found = [...names.map((name) => args[name]), ...Object.values(args)].find((value) => typeof value === "string" && value !== "");
  const text = typeof found === "string" ? found : Object.keys(args).length === 0 ? "" : JSON.stringify(args);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

/** The beginning of a text that is shown, without half a character at its end. */
export function beginning(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? chars - 1 : chars);
}
