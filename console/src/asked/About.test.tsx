// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "../protocol/connection";
import { Inbox } from "../shell/inbox";
import { PageContext, type Page } from "../shell/page";
import { About } from "./About";
import { Always, Answering, type Asked } from "./Answering";
import { Watch } from "./watch";

afterEach(cleanup);

const LONG: Asked = {
  threadId: "thr_1", id: "approval:t1:0123:0", tool: "post", target: "args:0123", agent: "", call: "", choices: [],
  prompt: 'May post be called with {"body": "a [... 27549 characters are not shown here; `sulla approvals show` shows all ...] a"}? Asked because',
};

function draw(asked: Asked) {
  const answered = vi.fn();
  const tell = vi.fn();
  const start = { type: "TOOL_CALL_START", seq: 1, data: { call_id: "t1", name: "post", args: { body: `x${" ".repeat(300)}method: GET\nthe middle` } } };
  const call = (method: string, params: unknown) => {
    if (method === "thread.history") return Promise.resolve({ events: [start], more: false });
    answered(method, params);
    return Promise.resolve({});
  };
  const watch = new Watch();
  // The page has been at rest: only what was shown decides here.
  vi.spyOn(watch.guard, "keys").mockReturnValue(true);
  const connection = { call, subscribe: () => () => undefined, standing: STANDING };
  const page = { tell, watch, connection, inbox: new Inbox({ watch: vi.fn(), on: vi.fn() } as unknown as Connection, vi.fn()) } as unknown as Page;
  render(
    <PageContext value={page}>
      <About asked={asked} why="" />
      <Answering asked={asked} />
    </PageContext>,
  );
  return { answered, tell };
}
const STANDING = { scopes: ["read", "approve"] };
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("a call that was cut", () => {
  it.each(["Approve", "Always …"])("is not taken by %s, which says why", (name) => {
    const { answered, tell } = draw(LONG);
    press(name);
    expect(tell).toHaveBeenCalledWith("Part of the call is not shown yet: show all of it first.", "bad");
    expect(answered).not.toHaveBeenCalled();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("can be rejected", () => {
    const { answered } = draw(LONG);
    press("Reject");
    expect(answered).toHaveBeenCalledWith("approval.answer", { thread_id: "thr_1", id: LONG.id, verdict: "reject" });
  });

  it("is shown whole when that is asked for, has the focus then, and can be approved", async () => {
    const { answered } = draw(LONG);
    press("Show all of it");
    const box = await screen.findByRole("group", { name: "What the call would do" });
    await waitFor(() => expect(document.activeElement).toBe(box));
    expect([...box.children].map((line) => line.textContent)).toEqual(["x·300 blanks·method: GET", "the middle"]);
    press("Approve");
    expect(answered).toHaveBeenCalledWith("approval.answer", { thread_id: "thr_1", id: LONG.id, verdict: "approve" });
  });
});

describe("an always for a call that was cut", () => {
  it("is not sent from its dialog either", () => {
    const tell = vi.fn();
    const watch = new Watch();
    const call = vi.fn();
    vi.spyOn(watch.guard, "keys").mockReturnValue(true);
    render(
      <PageContext value={{ tell, watch, connection: { call } } as unknown as Page}>
        <Always asked={LONG} gone={false} onClose={() => undefined} onDone={() => undefined} />
      </PageContext>,
    );
    fireEvent.submit(screen.getByRole("button", { name: "Allow for this time", hidden: true }));
    expect(tell).toHaveBeenCalledWith("Part of the call is not shown yet: show all of it first.", "bad");
    expect(call).not.toHaveBeenCalled();
  });
});
