import { describe, expect, it } from "vitest";
import type { UsageDay } from "../../protocol/generated";
import { bars, limitOf, scaleOf, shares, sum } from "./days";
import { shareUsed, todayOf, toneOf } from "./today";

function day(at: string, more: Partial<UsageDay> = {}): UsageDay {
  return { day: at, tokens_in: 10, tokens_out: 2, tokens: 13, cost_usd: 0.5, limit_tokens: null, limit_usd: null, by_agent: [], by_playbook: [], ...more };
}

describe("days", () => {
  it("come in a row up to today, those without use too", () => {
    const row = bars([day("2027-03-01"), day("2027-02-27", { cost_usd: null })], 4, "2027-03-01");
    expect(row.map((bar) => [bar.day, bar.tokensIn, bar.cost])).toEqual([
      ["2027-02-26", 0, 0], ["2027-02-27", 10, null], ["2027-02-28", 0, 0], ["2027-03-01", 10, 0.5],
    ]);
  });

  it("sum up, and money is unknown only where no part has a price", () => {
    expect(sum([{ tokensIn: 1, tokensOut: 2, tokens: 4, cost: null }, { tokensIn: 1, tokensOut: 2, tokens: 4, cost: 3 }])).toEqual({ tokensIn: 2, tokensOut: 4, tokens: 8, cost: 3 });
    expect(sum([{ tokensIn: 1, tokensOut: 2, tokens: 4, cost: null }]).cost).toBeNull();
    expect(sum([])).toEqual({ tokensIn: 0, tokensOut: 0, tokens: 0, cost: 0 });
  });

  it("are told by agent, the dearest first", () => {
    const by_agent = [{ agent: "a", tokens_in: 1, tokens_out: 1, tokens: 2, cost_usd: 1 }, { agent: "b", tokens_in: 9, tokens_out: 1, tokens: 10, cost_usd: 2 }];
    expect(shares([day("1", { by_agent }), day("2", { by_agent })], "agent")).toEqual([
      { name: "b", tokensIn: 18, tokensOut: 2, tokens: 20, cost: 4 }, { name: "a", tokensIn: 2, tokensOut: 2, tokens: 4, cost: 2 },
    ]);
    expect(shares([], "playbook")).toEqual([]);
  });

  it("have the newest limit that there is", () => {
    expect(limitOf([day("2027-01-01", { limit_usd: 1 }), day("2027-01-02", { limit_usd: 2 }), day("2027-01-03")], "money")).toBe(2);
    expect(limitOf([day("2027-01-01")], "tokens")).toBeNull();
  });
});

describe("the scale", () => {
  it("has round figures above the highest bar", () => {
    expect(scaleOf([870_000, 3], null)).toEqual({ top: 1_000_000, ticks: [0, 250_000, 500_000, 750_000, 1_000_000], showsLimit: false });
    expect(scaleOf([0.031], null).ticks).toEqual([0, 0.01, 0.02, 0.03, 0.04]);
  });

  it("holds the limit, unless bars would be too small to tell apart", () => {
    expect(scaleOf([50], 100)).toMatchObject({ top: 100, showsLimit: true });
    expect(scaleOf([1], 100)).toMatchObject({ top: 1, showsLimit: false });
    expect(scaleOf([0], 100)).toMatchObject({ top: 100, showsLimit: true });
  });

  it("is there where nothing was used", () => {
    expect(scaleOf([], null)).toEqual({ top: 1, ticks: [0, 1], showsLimit: false });
  });
});

describe("today", () => {
  it("is read of a status, and of one that says less", () => {
    expect(todayOf({ today: { tokens: 5, tokens_limit: 10, cost: null, cost_limit: null } })).toEqual({ tokens: 5, tokensLimit: 10, cost: null, costLimit: null });
    expect(todayOf({ today: { tokens: 5 } })).toEqual({ tokens: 5, tokensLimit: null, cost: null, costLimit: null });
    for (const status of [{}, { today: null }, { today: "much" }, { today: { tokens: "5" } }]) expect(todayOf(status)).toBeNull();
  });

  it("goes by the limit that is nearer to its end", () => {
    expect(shareUsed({ tokens: 5, tokensLimit: 10, cost: 0.9, costLimit: 1 })).toBe(0.9);
    expect(shareUsed({ tokens: 5, tokensLimit: null, cost: 1, costLimit: null })).toBeNull();
    expect(shareUsed({ tokens: 5, tokensLimit: 0, cost: null, costLimit: null })).toBe(1);
  });

  it("warns before it is used up", () => {
    expect([0.79, 0.8, 0.95].map(toneOf)).toEqual(["plain", "warn", "bad"]);
  });
});
