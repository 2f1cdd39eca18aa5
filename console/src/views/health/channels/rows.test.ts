import { describe, expect, it } from "vitest";
import type { ChannelAccount, ChannelPerson } from "../../../protocol/generated";
import { forgettable, inOrder, letting, pairing, toneOf, USUAL } from "./rows";

const ROW: ChannelAccount = {
  channel: "tg", kind: "telegram", account: "bot", state: "well", since_at: "2027-01-15T08:00:00.000Z",
  why: "", failed_at: null, failed_why: "", places: 1, waiting: 0, given_up: 0, last_given_up: null,
};
const ANN: ChannelPerson = { person: "ann", scopes: ["read", "write"], identities: [{ channel: "tg", sender: "5001", in_settings: false }] };

describe("channels", () => {
  it("that do not work come first, and a state that nobody knows is no good news", () => {
    const rows = [{ ...ROW, channel: "b" }, { ...ROW, channel: "a" }, { ...ROW, channel: "z", state: "refused" }];
    expect(inOrder(rows).map(({ channel }) => channel)).toEqual(["z", "a", "b"]);
    expect(["well", "failing", "held by another daemon", "odd", "constructor"].map(toneOf)).toEqual(["good", "bad", "plain", "warn", "warn"]);
  });
});

describe("letting in", () => {
  it("takes no name that the daemon would refuse", () => {
    for (const name of ["", " ", "Ann", "-ann", "a b", "a".repeat(41), "\u202eann"]) {
      expect(letting(name, [ANN])).toEqual({ as: "nobody" });
      expect(pairing("K7QM2XPD", name, [ANN], USUAL)).toBeNull();
    }
  });

  it("gives a new person what was chosen, in one order, and never nothing", () => {
    expect(pairing("K7QM2XPD", " bob ", [ANN], ["approve", "read"])).toEqual({ code: "K7QM2XPD", person: "bob", scopes: ["read", "approve"] });
    expect(pairing("K7QM2XPD", "bob", [ANN], [])).toBeNull();
  });

  it("leaves a known person what they may", () => {
    expect(letting("ann", [ANN])).toEqual({ as: "known", scopes: ["read", "write"] });
    expect(pairing("K7QM2XPD", "ann", [ANN], ["admin"])).toEqual({ code: "K7QM2XPD", person: "ann" });
  });
});

it("whom sulla.toml names is not forgotten here", () => {
  expect(forgettable(ANN)).toBe(true);
  expect(forgettable({ identities: [...ANN.identities, { channel: "tg", sender: "5002", in_settings: true }] })).toBe(false);
});
