import { describe, expect, it } from "vitest";
import { Recorded } from "../../thread/doubles";
import { ThreadFold } from "../../thread/fold";
import { announcement, heard } from "./announce";

describe("what is read out of a conversation", () => {
  it("is that a turn began, that a question waits and how it ended, and nothing for its tokens", () => {
    const log = new Recorded();
    const fold = new ThreadFold("thr_a");
    const said: string[] = [];
    let before = heard(fold.view());
    const [input, started] = log.turn(1, "Hello", "Hi");
    for (const event of [
      input,
      started,
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "x", offset: 0, delta: "H" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "x", offset: 1, delta: "i" }),
      log.kept("SUSPENDED", { waits: [{ wait_id: "approval:t", call_id: "t" }] }),
      log.kept("ANSWER", { wait_id: "approval:t", text: "", verdict: "approve" }),
      log.kept("RUN_FINISHED", { run_id: "run_1", outcome: { status: "done" } }),
    ]) {
      if (event !== undefined) fold.take(event);
      said.push(announcement(before, fold.view()));
      before = heard(fold.view());
    }
    expect(said).toEqual(["", "A turn began.", "", "", "A question waits for your answer.", "", "The turn ended: done."]);
  });
});
