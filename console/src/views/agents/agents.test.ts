import { describe, expect, it } from "vitest";
import { allows, unknownIn, withName } from "./allow";
import { begun, changesOf, edited, inOrder, isChanged, nameTrouble, onTop, placeIn, spanOfLine, without } from "./draft";

const ALL = ["bash", "read_file", "mcp__wiki__find", "mcp__wiki__read"];

describe("an allow list", () => {
  it("allows all where it is not there, and nothing where it is empty", () => {
    expect(allows(null, "bash", true)).toBe(true);
    expect(allows(null, "bash", false)).toBe(false);
    expect(allows([], "bash", true)).toBe(false);
    expect(allows(["mcp__wiki__*"], "mcp__wiki__read", true)).toBe(true);
  });

  it("names all others when the first is taken out", () => {
    expect(withName(null, "bash", false, ALL, true)).toEqual(["read_file", "mcp__wiki__find", "mcp__wiki__read"]);
  });

  it("writes a pattern out when one of its names is taken out, and leaves other entries", () => {
    expect(withName(["mcp__wiki__*", "gone"], "mcp__wiki__read", false, ALL, true)).toEqual(["mcp__wiki__find", "gone"]);
  });

  it("gets a name once, and none that a pattern allows", () => {
    expect(withName(["bash"], "read_file", true, ALL, true)).toEqual(["bash", "read_file"]);
    expect(withName(["mcp__wiki__*"], "mcp__wiki__read", true, ALL, true)).toEqual(["mcp__wiki__*"]);
    expect(withName(null, "ana", true, ["ana", "bob"], false)).toEqual(["ana"]);
  });

  it("tells what fits nothing", () => {
    expect(unknownIn(["bash", "nosuch", "mcp__mail__*", "get_time_date"], ALL)).toEqual(["nosuch", "mcp__mail__*"]);
  });
});

const SAVED = { agent: "reader", digest: "1", files: { "agent.toml": "a = 1\n", "soul.md": "You read.\n", "old.md": "x" } };

describe("a draft", () => {
  it("tells what is another, and what goes", () => {
    const draft = without(edited(edited(begun(SAVED), "soul.md", "You skim.\n"), "new.md", "n"), "old.md");
    expect(changesOf(draft)).toEqual({ "soul.md": "You skim.\n", "new.md": "n", "old.md": null });
    expect(isChanged(begun(SAVED))).toBe(false);
    expect(isChanged(edited(edited(begun(SAVED), "soul.md", "x"), "soul.md", "You read.\n"))).toBe(false);
  });

  it("stays on top of what somebody else has saved, and says where both have changed the same", () => {
    const mine = without(edited(edited(begun(SAVED), "soul.md", "mine"), "agent.toml", "a = 2\n"), "old.md");
    const theirs = { agent: "reader", digest: "2", files: { ...SAVED.files, "soul.md": "theirs", "more.md": "m" } };
    const { draft, changed, both, only } = onTop(mine, theirs);
    expect(changed).toEqual(["agent.toml", "soul.md", "old.md"]);
    expect(both).toEqual(["soul.md"]);
    expect(only).toEqual(["more.md"]);
    expect(draft.files).toEqual({ "agent.toml": "a = 2\n", "soul.md": "mine", "more.md": "m" });
    expect(draft.digest).toBe("2");
    expect(changesOf(draft)).toEqual({ "agent.toml": "a = 2\n", "soul.md": "mine", "old.md": null });
  });

  it("lists settings and soul first", () => {
    expect(inOrder({ "b.md": "", "soul.md": "", "agent.toml": "", "a.md": "" })).toEqual(["agent.toml", "soul.md", "a.md", "b.md"]);
  });

  it("refuses names that the daemon would refuse", () => {
    expect(nameTrouble("soul.md", SAVED.files)).toBe("taken");
    expect(nameTrouble("a/b.md", SAVED.files)).toBe("form");
    expect(nameTrouble("notes.txt", SAVED.files)).toBe("form");
    expect(nameTrouble("House rules.md", SAVED.files)).toBe("");
  });
});

describe("what is wrong in a file", () => {
  it("is found at its line, and at the first where none is named", () => {
    expect(placeIn("/srv/agents/reader/soul.md:3: odd", SAVED.files)).toEqual({ file: "soul.md", line: 3 });
    expect(placeIn("agent.toml:2:1: tools is 3; expected a list of names", SAVED.files)).toEqual({ file: "agent.toml", line: 2 });
    expect(placeIn("config.yaml: line 2: odd", { "config.yaml": "" })).toEqual({ file: "config.yaml", line: 2 });
    expect(placeIn("agent.toml is longer than 65536 bytes", SAVED.files)).toEqual({ file: "agent.toml", line: 1 });
    expect(placeIn("the service does not answer", SAVED.files)).toBeNull();
  });

  it("is marked from the line's begin to its end, within the text", () => {
    expect(spanOfLine("ab\ncde\nf", 2)).toEqual({ start: 3, end: 6 });
    expect(spanOfLine("ab", 99)).toEqual({ start: 0, end: 2 });
  });
});
