// @vitest-environment happy-dom
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { REST_MS } from "../../asked/guard";
import { Watch } from "../../asked/watch";
import { PageContext, type Page } from "../../shell/page";
import type { ThreadView } from "../../thread/items";
import { RunQuestions } from "./RunQuestions";
import type { OpenQuestion } from "./run/log";

afterEach(cleanup);

const QUESTION: OpenQuestion = {
  threadId: "thr_1", waitId: "answer:ask", prompt: "Shall it greet Ada?", tool: "", target: "", choices: ["yes do", "not now"],
  expiresMs: null, form: null, asks: "answer",
};
const WAITS = { questions: [], notices: [] };
const STANDING = { state: "open", scopes: ["read", "approve"] };

describe("a question of a run", () => {
  it("shows whether a press is taken for it already", () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    const watch = new Watch();
    const page = {
      tell: vi.fn(), watch, connection: { subscribe: () => () => undefined, standing: STANDING },
      inbox: { subscribe: () => () => undefined, view: () => WAITS },
    } as unknown as Page;
    const { container } = render(
      <PageContext value={page}>
        <RunQuestions questions={[QUESTION]} view={{ items: [], below: new Map() } as unknown as ThreadView} />
      </PageContext>,
    );
    const shown = () => container.querySelector("[data-answering]")?.getAttribute("data-answering");
    act(() => watch.measure());
    expect(shown()).toBe("waits");
    now.mockReturnValue(REST_MS);
    act(() => watch.measure());
    expect(shown()).toBe("ready");
    now.mockRestore();
  });
});
