import { afterEach, expect, it, vi } from "vitest";
import { showIn } from "./catalog";
import { kept, numbers, times } from "./forms";

afterEach(() => {
  showIn("en");
  vi.restoreAllMocks();
});

it("makes a form once, however often it is asked for", () => {
  const make = vi.fn((language: string) => ({ language }));
  const form = kept(make);
  expect(form()).toBe(form());
  expect(make).toHaveBeenCalledTimes(1);
});

it("makes another one when the machine has been taken to another zone", () => {
  const form = kept(() => ({}));
  const before = form();
  vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-765);
  expect(form()).not.toBe(before);
});

it("writes in the language that the page is shown in by then", () => {
  const tenths = numbers({ maximumFractionDigits: 1 });
  const before = tenths(1234.56);
  showIn("de");
  expect([before, tenths(1234.56)]).toEqual(["1,234.6", "1.234,6"]);
});

it("shows what is no time as such", () => {
  expect(times({ dateStyle: "medium" })(new Date("soon"))).toBe("Invalid Date");
});
