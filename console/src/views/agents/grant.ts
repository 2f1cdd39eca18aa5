import type { ToolRow } from "../../protocol/generated";
import { ALWAYS } from "./allow";
import { quoted, writeList } from "./toml";

/** What a new agent may use: nothing, what only reads, what a person ticks, or all that there is and will be. */
export type Grant = "none" | "reading" | "chosen" | "all";

export const GRANTS: readonly Grant[] = ["none", "reading", "chosen", "all"];

/** The tools that change nothing wherever they are called, without those that every agent has anyway. */
export function reading(tools: readonly ToolRow[]): readonly string[] {
  return tools.filter(({ name, effect }) => effect === "pure" && !ALWAYS.has(name)).map(({ name }) => name);
}

/** The allow-list that a grant comes to; null for none, which allows all. */
export function listOf(grant: Grant, tools: readonly ToolRow[], chosen: readonly string[]): readonly string[] | null {
  switch (grant) {
    case "none":
      return [];
    case "reading":
      return reading(tools);
    case "chosen":
      return chosen;
    case "all":
      return null;
  }
}

/** The settings with which an agent begins. */
export function firstSettings(description: string, tools: readonly string[] | null): string {
  const text = `description = ${quoted(description)}\n`;
  return writeList(text, "tools", tools) ?? text;
}
