import { describe, expect, it } from "vitest";
import { isExact, leftS, overLine, unanswered, ways } from "./verdicts";

const verdicts = (id: string, tool = "", target = "") => ways({ id, tool, target, choices: [] }).map((way) => way.verdict);

describe("a question can be answered", () => {
  it("about a call with yes, no and always", () => {
    expect(verdicts("approval:t:1:0", "post", "host:https://example.org")).toEqual(["approve", "reject", "always"]);
  });

  it("about a call that goes nowhere that can be named without always, which would allow nothing else", () => {
    expect(verdicts("approval:t:1:0", "bash")).toEqual(["approve", "reject"]);
  });

  it("about a call whose end nobody knows with what it came to, another try, or giving up", () => {
    expect(verdicts("review:t:1", "post")).toEqual(["result", "run_again", "give_up"]);
  });

  it("of a playbook with yes, no and giving up", () => {
    expect(verdicts("human:x")).toEqual(["approve", "reject", "give_up"]);
  });

  it("with one of its choices alone where there are any", () => {
    expect(ways({ id: "answer:x", tool: "", target: "", choices: ["red", "blue"] }).map((way) => way.choice)).toEqual(["red", "blue", ""]);
  });

  it("in words where there are no choices, and of a kind that this page does not know", () => {
    expect(verdicts("answer:x")).toEqual(["result", "give_up"]);
    expect(verdicts("news:x")).toEqual(["result", "give_up"]);
  });
});

describe("a question that is over", () => {
  it("says what was answered from here, or that it is no longer asked", () => {
    expect(["approve", "give_up", "result", ""].map((here) => overLine(here, null))).toEqual(["Approved", "Given up", "Answered", "No longer asked"]);
  });

  it("says who answered and what, wherever that was", () => {
    expect(overLine("", { verdict: "reject", text: "", by: "anna" })).toBe("Rejected by anna");
    expect(overLine("", { verdict: "result", text: "blue", by: "owner" })).toBe("Answered by owner: blue");
    expect(overLine("approve", { verdict: "reject", text: "", by: "anna" })).toBe("Rejected by anna");
    expect(overLine("approve", { verdict: "approve", text: "", by: "owner" })).toBe("Approved");
  });

  it("says that it is no longer asked where nobody answered, and shortens what was answered at length", () => {
    expect(overLine("", { verdict: "", text: "", by: "" })).toBe("No longer asked");
    expect(overLine("", { verdict: "always", text: "", by: "" })).toBe("Allowed for a time");
    expect(overLine("", { verdict: "result", text: "x".repeat(300), by: "" })).toBe(`Answered: ${"x".repeat(199)}…`);
  });
});

describe("a question that nobody answers in time", () => {
  it("is a no to a call, and a failure of a playbook's step", () => {
    expect(["approval:t:1:0", "human:x", "answer:x"].map(unanswered)).toEqual(["no", "fails", "over"]);
  });
});

describe("the time that is left", () => {
  it("counts down to nothing, and is unknown where there is no end", () => {
    expect(leftS(10_000, 4_000)).toBe(6);
    expect(leftS(10_000, 40_000)).toBe(0);
    expect(leftS(null, 0)).toBeNull();
  });
});

describe("what an always is good for", () => {
  it("is a place, or the arguments of the call", () => {
    expect(isExact("args:0123abcd")).toBe(true);
    expect(isExact("host:https://example.org")).toBe(false);
  });
});
