import { describe, expect, it } from "vitest";
import type { Connection } from "../protocol/connection";
import type { QuestionGone, QuestionRow } from "../protocol/wire";
import { Inbox, questionCount } from "./inbox";

const question = (id: string): QuestionRow => ({ thread_id: `thr_${id}`, run_id: "run", id, prompt: `May ${id}?`, expires_at: null });
const gone = (id: string) => ({ thread_id: `thr_${id}`, id });

/** A daemon that watches some questions, and gives all of them two a page. */
class Stage {
  all: QuestionRow[] = [];
  broken = false;
  asked = 0;
  timers: (() => void)[] = [];
  private started: (result: unknown) => void = () => undefined;
  private heard: (params: unknown) => void = () => undefined;
  readonly inbox = new Inbox(
    {
      watch: (method: string, _: unknown, started: (result: unknown) => void) => {
        if (method === "approval.watch") this.started = started;
      },
      on: (method: string, heard: (params: unknown) => void) => {
        if (method === "approvals") this.heard = heard;
      },
      call: (_: string, { after }: { after: string | null }) => {
        this.asked++;
        if (this.broken) return Promise.reject(new Error("the store does not answer"));
        const from = after === null ? 0 : Number(after);
        return Promise.resolve({ questions: this.all.slice(from, from + 2), next: from + 2 < this.all.length ? String(from + 2) : null });
      },
    } as unknown as Connection,
    (run) => this.timers.push(run),
  );

  begins(watched: readonly string[], ...unwatched: string[]): Promise<void> {
    this.all = [...watched, ...unwatched].map(question);
    this.started({ questions: watched.map(question), more: unwatched.length > 0 });
    return settled();
  }

  tells(added: readonly string[], left: readonly string[], more: boolean): void {
    this.heard({ added: added.map(question), gone: left.map(gone), more });
  }

  leaves(question: QuestionGone): void {
    this.heard({ added: [], gone: [question], more: false });
  }

  async later(): Promise<void> {
    for (const run of this.timers.splice(0)) run();
    await settled();
  }

  ids(): string[] {
    return this.inbox.view().questions.map((one) => one.id).sort();
  }
}

/** Lets all answers come that are there. */
function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}

describe("the inbox of the page", () => {
  it("does not know how many wait until the daemon has said it", async () => {
    const stage = new Stage();
    expect(questionCount(stage.inbox.view())).toBe("…");
    await stage.begins([]);
    expect(questionCount(stage.inbox.view())).toBe("0");
  });

  it("asks for no pages where all that waits is watched", async () => {
    const stage = new Stage();
    await stage.begins(["a", "b"]);
    expect([stage.ids(), stage.asked]).toEqual([["a", "b"], 0]);
  });

  it("reads every page of what waits beyond those that are watched", async () => {
    const stage = new Stage();
    const read = stage.begins(["a", "b"], "c", "d", "e");
    expect(questionCount(stage.inbox.view())).toBe("2+");
    await read;
    expect([stage.ids(), questionCount(stage.inbox.view())]).toEqual([["a", "b", "c", "d", "e"], "5"]);
  });

  it("says why the rest could not be read, and reads it later", async () => {
    const stage = new Stage();
    stage.broken = true;
    await stage.begins(["a"], "b");
    expect(stage.inbox.view()).toMatchObject({ more: true, trouble: "the store does not answer" });
    stage.broken = false;
    await stage.later();
    expect([stage.ids(), stage.inbox.view().more, stage.inbox.view().trouble]).toEqual([["a", "b"], false, ""]);
  });

  it("lets go of a question that is answered, watched or not", async () => {
    const stage = new Stage();
    await stage.begins(["a"], "b", "c");
    stage.tells([], ["a"], true);
    stage.inbox.answered({ threadId: "thr_b", id: "b" });
    expect(stage.ids()).toEqual(["c"]);
  });

  it("does not bring back what was answered while the pages were read", async () => {
    const stage = new Stage();
    const read = stage.begins(["a"], "b", "c");
    stage.tells([], ["a"], true);
    await read;
    expect(stage.ids()).toEqual(["b", "c"]);
  });

  it("sees after a while what was asked and answered beyond those that are watched", async () => {
    const stage = new Stage();
    await stage.begins(["a"], "b");
    stage.all = ["a", "c"].map(question);
    await stage.later();
    expect(stage.ids()).toEqual(["a", "c"]);
  });

  it("reads no pages any more once all that waits is watched", async () => {
    const stage = new Stage();
    await stage.begins(["a"], "b");
    stage.tells(["b"], [], false);
    const { asked } = stage;
    await stage.later();
    expect([stage.ids(), stage.asked]).toEqual([["a", "b"], asked]);
  });

  it("keeps how those that left last were answered, and forgets it of one that is asked again and of older ones", async () => {
    const stage = new Stage();
    await stage.begins(["a", "b"]);
    expect(stage.inbox.given("thr_a", "a")).toBeNull();
    stage.leaves({ ...gone("a"), verdict: "reject", text: "no", by: "anna" });
    expect(stage.inbox.given("thr_a", "a")).toEqual({ verdict: "reject", text: "no", by: "anna" });
    stage.leaves(gone("b"));
    expect(stage.inbox.given("thr_b", "b")).toEqual({ verdict: "", text: "", by: "" });
    stage.tells(["b"], [], false);
    expect(stage.inbox.given("thr_b", "b")).toBeNull();
    for (let number = 0; number < 200; number++) stage.leaves(gone(`n${number}`));
    expect(stage.inbox.given("thr_a", "a")).toBeNull();
    expect(stage.inbox.given("thr_n0", "n0")).not.toBeNull();
  });
});
