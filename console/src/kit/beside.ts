/** What is used of a worker. */
export type Thread = Pick<Worker, "onmessage" | "onerror" | "postMessage" | "terminate">;

/**
 * Work of one kind on a thread beside the page's, one piece at a time. The newest wins: of those that are asked for meanwhile
 * it alone is done, and what came of an older one is passed over. No clock.
 */
export class Beside<Asked, Done> {
  private doing: { readonly asked: Asked } | null = null;
  private next: { readonly asked: Asked } | null = null;

  constructor(
    private readonly thread: Thread,
    private readonly told: (asked: Asked, done: Done) => void,
    failed: (why: Error) => void,
  ) {
    thread.onmessage = (event: MessageEvent<Done>) => this.came(event.data);
    // A script that could not be loaded says nothing of why.
    thread.onerror = (event) => failed(new Error(event.message || "a script of the page could not be loaded"));
  }

  ask(asked: Asked): void {
    if (this.doing !== null) {
      this.next = { asked };
      return;
    }
    this.doing = { asked };
    this.thread.postMessage(asked);
  }

  end(): void {
    this.thread.terminate();
  }

  private came(done: Done): void {
    const { doing, next } = this;
    this.doing = this.next = null;
    if (next !== null) this.ask(next.asked);
    else if (doing !== null) this.told(doing.asked, done);
  }
}
