import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { RpcError } from "../protocol/errors";
import { Answer } from "./Answer";
import { olderText, orOlder } from "./older";
import { Trouble } from "./Trouble";

const OLD = { value: null, error: "no method", code: "unknown_method", loading: false, reload: () => undefined };

test("a daemon that is older than the page is told in one way, wherever that is noticed", async () => {
  const { unmount } = render(<Trouble of={OLD} what="the calendar" />);
  expect(screen.getByText(olderText("the calendar"))).toBeTruthy();
  unmount();
  render(<Answer call={OLD} what="the calendar">{() => "answer"}</Answer>);
  expect(screen.getByText(olderText("the calendar"))).toBeTruthy();
  const refused = new RpcError("no method", "unknown_method", false, null);
  await expect(orOlder("the calendar", Promise.reject(refused))).rejects.toThrow(olderText("the calendar"));
});

test("what else goes wrong stays what it is, and an old answer stays beside it", async () => {
  render(<Answer call={{ ...OLD, value: 1, error: "no line", code: null }} what="the calendar">{(value) => <p>answer {value}</p>}</Answer>);
  expect(screen.getByText(/no line/)).toBeTruthy();
  expect(screen.getByText("answer 1")).toBeTruthy();
  const other = new Error("no line");
  await expect(orOlder("the calendar", Promise.reject(other))).rejects.toBe(other);
});
