// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PageContext, type Page } from "../shell/page";
import { Always, type Asked } from "./Answering";
import { Watch } from "./watch";

afterEach(cleanup);

const ASKED: Asked = {
  threadId: "thr_1", id: "approval:t:1:0", tool: "http", target: "args:0123456789abcdef", agent: "", call: "POST to https://example.org",
  prompt: "Call http?", choices: [],
};

function draw(asked: Asked, gone: boolean): { tell: ReturnType<typeof vi.fn>; onClose: ReturnType<typeof vi.fn>; again: (gone: boolean) => void } {
  const [tell, onClose] = [vi.fn(), vi.fn()];
  const page = { tell, watch: new Watch() } as unknown as Page;
  const drawn = (isGone: boolean) => (
    <PageContext value={page}>
      <Always asked={asked} gone={isGone} onClose={onClose} onDone={() => undefined} />
    </PageContext>
  );
  const { rerender } = render(drawn(gone));
  return { tell, onClose, again: (isGone) => rerender(drawn(isGone)) };
}

describe("the dialog for an always", () => {
  it("shows the arguments where it is good for these alone, and no digest", () => {
    draw(ASKED, false);
    expect(screen.getByText("exactly these arguments, and no others")).toBeTruthy();
    expect(screen.getByText("POST to https://example.org")).toBeTruthy();
    expect(screen.queryByText(/0123456789abcdef/)).toBeNull();
  });

  it("says where it is good for", () => {
    draw({ ...ASKED, target: "host:https://example.org" }, false);
    expect(screen.getByText("host:https://example.org")).toBeTruthy();
  });

  it("closes and says so when somebody else has answered", () => {
    const { tell, onClose, again } = draw(ASKED, false);
    expect(onClose).not.toHaveBeenCalled();
    again(true);
    expect(onClose).toHaveBeenCalledOnce();
    expect(tell).toHaveBeenCalledWith("It was answered elsewhere meanwhile; nothing was allowed for a time from here: http");
  });
});
