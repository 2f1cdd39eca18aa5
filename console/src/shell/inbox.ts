import type { Connection } from "../protocol/connection";
import type { NoticeRow, QuestionRow, Result } from "../protocol/wire";

/** The most notices that are kept here; older ones are asked for where they are shown. */
const MOST_NOTICES = 200;

export interface InboxView {
  readonly questions: readonly QuestionRow[];
  readonly notices: readonly NoticeRow[];
}

/** What waits for a person: questions of all threads and unseen notices, kept up to date. It lives as long as the page. */
export class Inbox {
  private questions = new Map<string, QuestionRow>();
  private notices = new Map<string, NoticeRow>();
  private readonly changes = new Set<() => void>();
  private seen: InboxView = Object.freeze({ questions: [], notices: [] });

  constructor(private readonly connection: Connection) {
    connection.watch("approval.watch", {}, (result) => {
      this.questions = new Map((result as Result<"approval.watch">).questions.map((question) => [key(question), question]));
      this.changed();
    });
    connection.on("approvals", (params) => {
      const { added, gone } = params as { added: QuestionRow[]; gone: { thread_id: string; id: string }[] };
      for (const question of gone) this.questions.delete(key(question));
      for (const question of added) this.questions.set(key(question), question);
      this.changed();
    });
    connection.watch("notice.subscribe", {}, () => undefined);
    connection.on("notice", (params) => {
      const notice = params as unknown as NoticeRow;
      this.notices.set(notice.id, notice);
      while (this.notices.size > MOST_NOTICES) this.notices.delete(this.notices.keys().next().value ?? "");
      this.changed();
    });
  }

  view = (): InboxView => this.seen;

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  /** Mark notices as seen by this person, at every client of theirs. */
  async seeNotices(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += 64) {
      await this.connection.call("notice.seen", { ids: ids.slice(from, from + 64) });
    }
    for (const id of ids) this.notices.delete(id);
    this.changed();
  }

  private changed(): void {
    this.seen = Object.freeze({ questions: [...this.questions.values()], notices: [...this.notices.values()].reverse() });
    for (const changed of this.changes) changed();
  }
}

function key(question: { thread_id: string; id: string }): string {
  return `${question.thread_id} ${question.id}`;
}
