import { expect, it } from "vitest";
import { duration, spent } from "./figures";

it("says how long something took as exactly as people want it", () => {
  expect([-1, 0, 0.02, 0.42, 0.97, 4.4, 59.6, 60, 90, 3599, 3600, 7500, 200_000].map(duration)).toEqual([
    "0 s", "0 s", "0.1 s", "0.4 s", "1 s", "4 s", "1 min", "1 min", "1 min 30 s", "59 min 59 s", "1 h", "2 h 5 min", "2 days",
  ]);
});

it("does not call free what has no known price", () => {
  expect([spent(0, 240), spent(0, 0), spent(1.5, 240)]).toEqual(["no price known", "$0.00", "$1.50"]);
});
