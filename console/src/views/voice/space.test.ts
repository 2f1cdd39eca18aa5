import { describe, expect, it } from "vitest";
import { keepsSpace, SpaceBar, type InFocus } from "./space";

const focus = (tag: string, type = "", byPointer = false): InFocus => ({ tag, type, editable: false, byPointer });

describe("the space bar", () => {
  it("talks unless somebody writes, also after a press on a control", () => {
    expect([focus("body"), focus("button"), focus("a"), focus("summary"), focus("button", "", true)].map(keepsSpace)).toEqual([false, false, false, false, false]);
    expect([focus("textarea"), focus("input", "text"), focus("input", "search", true), { ...focus("div"), editable: true }].map(keepsSpace)).toEqual([true, true, true, true]);
  });

  it("sets what only it can set, where the keyboard has gone there", () => {
    expect([focus("input", "checkbox"), focus("select")].map(keepsSpace)).toEqual([true, true]);
    expect([focus("input", "checkbox", true), focus("select", "", true)].map(keepsSpace)).toEqual([false, false]);
  });

  it("ends what it began, wherever the focus has gone meanwhile", () => {
    const bar = new SpaceBar();
    expect(bar.up()).toBe(false);
    expect(bar.down(focus("button", "", true), false)).toBe("talk");
    expect(bar.down(focus("textarea"), true)).toBe("nothing");
    expect(bar.up()).toBe(true);
    expect(bar.up()).toBe(false);
    expect(bar.down(focus("textarea"), false)).toBeNull();
  });
});
