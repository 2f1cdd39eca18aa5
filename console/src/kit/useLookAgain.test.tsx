// @vitest-environment happy-dom
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useLookAgain } from "./useLookAgain";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("looks when the window is come back to and every ten seconds, until it is gone", () => {
  vi.useFakeTimers();
  const look = vi.fn();
  const { unmount } = renderHook(() => useLookAgain(look));
  expect(look).toHaveBeenCalledTimes(0);
  window.dispatchEvent(new Event("focus"));
  vi.advanceTimersByTime(10_000);
  expect(look).toHaveBeenCalledTimes(2);
  unmount();
  vi.advanceTimersByTime(60_000);
  expect(look).toHaveBeenCalledTimes(2);
});
