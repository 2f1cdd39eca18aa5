import type { Connection } from "../protocol/connection";
import { sentence } from "../protocol/errors";
import type { NoticeRow, QuestionGone, QuestionRow, Result } from "../protocol/wire";
import { count } from "../text/figures";

/** The most notices that are kept here; older ones are asked for where they are shown. */
const MOST_NOTICES = 200;
/** Threads whose questions are asked for at once: the most that the daemon gives. */
const PAGE = 200;
/** Questions that are over of which it is kept how: so many as leave before their last seconds on the page are over. */
const MOST_OVER = 200;
/** How often the questions that the daemon does not tell of by itself are read anew. */
const AGAIN_S = 15;

export interface InboxView {
  readonly questions: readonly QuestionRow[];
  readonly notices: readonly NoticeRow[];
  /** Whether the daemon has said once what waits. */
  readonly known: boolean;
  /** Whether questions wait that are not here yet. */
  readonly more: boolean;
  /** Why those could not be read; empty if they could, or were not asked for yet. */
  readonly trouble: string;
}

/** How a question was answered, by whomever. */
export interface Given {
  /** Empty where nobody answered. */
  readonly verdict: string;
  readonly text: string;
  /** The name of the token that it was answered with; empty where no person did. */
  readonly by: string;
}

type Later = (run: () => void, s: number) => unknown;

/**
 * What waits for a person: questions of all threads and unseen notices, kept up to date. The daemon tells of changes in some
 * hundred threads; where more ask, those are read page by page, again and again. It lives as long as the page.
 */
export class Inbox {
  private questions = new Map<string, QuestionRow>();
  /** All that was asked when the pages were read last; null if they were not, or need not be. */
  private rest: ReadonlyMap<string, QuestionRow> | null = null;
  /** What was answered since the pages began to be read: they may have it still. */
  private readonly left = new Set<string>();
  /** How those that left last were answered. */
  private readonly over = new Map<string, Given>();
  private notices = new Map<string, NoticeRow>();
  private more = false;
  private reading = false;
  private trouble = "";
  private readonly changes = new Set<() => void>();
  private seen: InboxView = Object.freeze({ questions: [], notices: [], known: false, more: false, trouble: "" });

  constructor(
    private readonly connection: Connection,
    private readonly later: Later,
  ) {
    connection.watch("approval.watch", {}, (result) => {
      const { questions, more } = result as Result<"approval.watch">;
      this.questions = new Map(questions.map((question) => [key(question), question]));
      this.told(more);
    });
    connection.on("approvals", (params) => {
      const { added, gone, more } = params as { added: QuestionRow[]; gone: QuestionGone[]; more: boolean };
      for (const question of gone) this.leaves(question);
      for (const question of added) {
        this.questions.set(key(question), question);
        this.over.delete(key(question));
      }
      this.drop(gone);
      this.told(more);
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

  /** How a question was answered that is not asked any more; null while it is, and where that was too long ago. */
  given = (threadId: string, id: string): Given | null => this.over.get(key({ thread_id: threadId, id })) ?? null;

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

  /** Read the questions that the daemon does not tell of by itself, and again in a while, for as long as there are any. */
  readRest = async (): Promise<void> => {
    if (this.reading) return;
    this.reading = true;
    this.left.clear();
    try {
      const found = new Map<string, QuestionRow>();
      let after: string | null = null;
      do {
        const page: Result<"approval.list"> = await this.connection.call("approval.list", { after, limit: PAGE });
        for (const question of page.questions) found.set(key(question), question);
        after = page.next;
      } while (after !== null);
      this.trouble = "";
      for (const id of this.left) found.delete(id);
      if (this.more) this.rest = found;
    } catch (error) {
      this.trouble = sentence(error);
    }
    this.changed();
    this.later(() => {
      this.reading = false;
      if (this.more) void this.readRest();
    }, AGAIN_S);
  };

  /** A person has answered one: the daemon tells of it only if it is among those that it watches. */
  answered(question: { readonly threadId: string; readonly id: string }): void {
    this.drop([{ thread_id: question.threadId, id: question.id }]);
    this.changed();
  }

  private leaves({ verdict = "", text = "", by = "", ...question }: QuestionGone): void {
    this.questions.delete(key(question));
    this.over.delete(key(question));
    this.over.set(key(question), Object.freeze({ verdict, text, by }));
    while (this.over.size > MOST_OVER) this.over.delete(this.over.keys().next().value ?? "");
  }

  private drop(gone: readonly { thread_id: string; id: string }[]): void {
    for (const question of gone) this.left.add(key(question));
    if (this.rest !== null) this.rest = new Map([...this.rest].filter(([id]) => !this.left.has(id)));
  }

  private told(more: boolean): void {
    this.more = more;
    if (!more) {
      this.rest = null;
      this.trouble = "";
    }
    this.changed(true);
    if (more) void this.readRest();
  }

  private changed(known = this.seen.known): void {
    const all = new Map([...(this.rest ?? []), ...this.questions]);
    this.seen = Object.freeze({
      questions: [...all.values()],
      notices: [...this.notices.values()].reverse(),
      known,
      more: this.more && this.rest === null,
      trouble: this.trouble,
    });
    for (const changed of this.changes) changed();
  }
}

/** How many questions wait, as far as it is known. */
export function questionCount({ questions, known, more }: InboxView): string {
  return known ? `${count(questions.length)}${more ? "+" : ""}` : "…";
}

function key(question: { thread_id: string; id: string }): string {
  return `${question.thread_id} ${question.id}`;
}
