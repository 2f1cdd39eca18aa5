import { describe, expect, it } from "vitest";
import { quoted, readList, readText, writeList } from "./toml";

const FILE = `# who reads
name = "Reader" # its name
description = """
a text with tools = ["no"]
# and no comment
"""
tools = [
  "read_file", # whole files
  # of folders:
  "list_dir",
  'mcp__wiki__*'
]
max_turns = 20

# where it is led to
[[intents]]
phrase = "x"
tools = ["not these"]
`;

const values = (text: string, key = "tools"): readonly string[] | string => {
  const list = readList(text, key);
  return list.state === "list" ? list.values : list.state;
};

describe("a list at the top", () => {
  it("is read with its comments, both kinds of quotes and a missing last comma", () => {
    expect(values(FILE)).toEqual(["read_file", "list_dir", "mcp__wiki__*"]);
  });

  it("is not one of a table, a text or a comment", () => {
    expect(values('[x]\ntools = ["a"]\n')).toBe("absent");
    expect(values('a = """\ntools = ["a"]\n"""\n')).toBe("absent");
    expect(values('# tools = ["a"]\n')).toBe("absent");
    expect(values("")).toBe("absent");
  });

  it("is read under a quoted key, and with escapes", () => {
    expect(values(String.raw`"tools" = ["a\"b", "\u00e4", 'c\d']`)).toEqual(['a"b', "ä", String.raw`c\d`]);
  });

  it("is unclear where it is none, or is not ended", () => {
    for (const text of ["tools = 3\n", 'tools = "a"\n', "tools = [1]\n", 'tools = ["a"\n', "tools.x = []\n", '? = 1\ntools = []\n', 'tools = ["a" "b"]\n']) {
      expect(values(text)).toBe("unclear");
      expect(writeList(text, "tools", ["b"])).toBeNull();
    }
  });

  it("is written name by name, and every comment stays", () => {
    const text = writeList(FILE, "tools", ["read_file", "mcp__wiki__*", "bash"]);
    expect(text).toBe(FILE.replace('  "list_dir",\n', "").replace("'mcp__wiki__*'\n", "'mcp__wiki__*',\n  \"bash\",\n"));
    expect(values(text ?? "")).toEqual(["read_file", "mcp__wiki__*", "bash"]);
  });

  it("keeps the comment beside a name that goes", () => {
    const text = writeList(FILE, "tools", ["list_dir"]) ?? "";
    expect(text).toContain("  # whole files\n  # of folders:\n");
    expect(values(text)).toEqual(["list_dir"]);
  });

  it("is written in its one line, with the comment behind it", () => {
    expect(writeList('a = 1\ntools = ["a", "b"] # few\n', "tools", ["b"])).toBe('a = 1\ntools = ["b"] # few\n');
    expect(writeList("tools = []", "tools", ["a"])).toBe('tools = ["a"]');
  });

  it("goes, and its comments do not", () => {
    const text = writeList(FILE, "tools", null) ?? "";
    expect(values(text)).toBe("absent");
    expect(text).toContain("# whole files\n# of folders:\nmax_turns = 20");
    expect(writeList('tools = ["a"] # few', "tools", null)).toBe("# few\n");
    expect(writeList("a = 1\n", "tools", null)).toBe("a = 1\n");
  });

  it("comes behind the other keys and before the tables with their comments", () => {
    expect(writeList(FILE, "spawns", ["ana"])).toBe(FILE.replace("max_turns = 20\n", 'max_turns = 20\nspawns = ["ana"]\n'));
    expect(writeList("", "spawns", [])).toBe("spawns = []\n");
    expect(writeList("a = 1", "spawns", ["b"])).toBe('a = 1\nspawns = ["b"]\n');
    expect(writeList("# head\n[t]\n", "spawns", ["b"])).toBe('spawns = ["b"]\n\n# head\n[t]\n');
  });

  it("is broken into lines where it is long, and read again", () => {
    const many = Array.from({ length: 20 }, (_, index) => `a_long_name_${index}`);
    const text = writeList("a = 1\n", "tools", many) ?? "";
    expect(text).toContain('[\n  "a_long_name_0",\n');
    expect(values(text)).toEqual(many);
    expect(values(writeList(text, "tools", []) ?? "")).toEqual([]);
  });

  it("keeps a file's line ends", () => {
    const text = writeList('a = 1\r\ntools = [\r\n  "a",\r\n]\r\n', "tools", ["a", "b"]);
    expect(text).toBe('a = 1\r\ntools = [\r\n  "a",\r\n  "b",\r\n]\r\n');
  });

  it("gives back what was written, whatever the names and however it is written", () => {
    const names = ["a", 'q"t', "b\\s", "tab\t", "#no", "]", "ä", "mcp__*", "\u007f"];
    const starts = ["", "x = 1", "tools = []\n", 'tools = [\n]\n', 'tools = ["a", # one\n "z",\n# end\n]\n', 'tools = ["z", "a"\n  , "y"]\n[t]\n'];
    for (const start of starts) {
      for (let pick = 0; pick < 1 << names.length; pick += 7) {
        const wanted = names.filter((_, index) => (pick & (1 << index)) !== 0);
        const text = writeList(start, "tools", wanted);
        expect(text).not.toBeNull();
        expect(new Set(values(text ?? "")), `${start} with ${wanted.join()}: ${text ?? ""}`).toEqual(new Set(wanted));
        expect((text ?? "").split("#").length).toBeGreaterThanOrEqual(start.split("#").length);
      }
    }
  });
});

describe("a text", () => {
  it("is read, and nothing else is", () => {
    expect(readText(FILE, "name")).toBe("Reader");
    expect(readText(FILE, "max_turns")).toBeNull();
    expect(readText(FILE, "phrase")).toBeNull();
  });

  it("is written so that it is read again", () => {
    expect(readText(`name = ${quoted('a "b"\n\u007f')}\n`, "name")).toBe('a "b"\n\u007f');
  });
});
