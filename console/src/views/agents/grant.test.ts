import { describe, expect, it } from "vitest";
import type { ToolRow } from "../../protocol/generated";
import { firstSettings, listOf, reading } from "./grant";
import { readList } from "./toml";

const tool = (name: string, effect: string): ToolRow => ({ name, effect, description: name, category: "files", parameters: {} });
const TOOLS = [tool("read_file", "pure"), tool("write_file", "idempotent"), tool("bash", "once"), tool("get_time_date", "pure")];

describe("what a new agent may use", () => {
  it("is, where it only reads, what changes nothing, without what every agent has", () => {
    expect(reading(TOOLS)).toEqual(["read_file"]);
  });

  it("is an empty list for nothing, the ticked ones for a choice, and no list for all", () => {
    expect(listOf("none", TOOLS, ["bash"])).toEqual([]);
    expect(listOf("reading", TOOLS, ["bash"])).toEqual(["read_file"]);
    expect(listOf("chosen", TOOLS, ["bash"])).toEqual(["bash"]);
    expect(listOf("all", TOOLS, ["bash"])).toBeNull();
  });

  it("stands in its settings", () => {
    expect(firstSettings('Says "hi"', [])).toBe('description = "Says \\"hi\\""\ntools = []\n');
    expect(firstSettings("Cooks", null)).toBe('description = "Cooks"\n');
    expect(readList(firstSettings("Cooks", reading(TOOLS)), "tools")).toEqual({ state: "list", values: ["read_file"] });
  });
});
