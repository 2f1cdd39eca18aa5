/** The most entries that are held: more are not read by people, and would not stay small. */
export const MOST = 5_000;

/** Entries read page by page, the newest first. Frozen values. */
export interface Pages<E> {
  readonly entries: readonly E[];
  /** What the next page is asked with; null where nothing is left. */
  readonly next: string | null;
  /** Whether a page has come at all. */
  readonly begun: boolean;
}

export const EMPTY: Pages<never> = Object.freeze({ entries: [], next: null, begun: false });

export function appended<E>(pages: Pages<E>, page: { entries: readonly E[]; next: string | null }): Pages<E> {
  return { entries: [...pages.entries, ...page.entries].slice(0, MOST), next: page.next, begun: true };
}

/** Whether a page of older ones may be asked for. */
export function hasOlder<E>(pages: Pages<E>): boolean {
  return pages.next !== null && pages.entries.length < MOST;
}

/** What is asked with: filters that are empty are left out, so that they are not taken for values. */
export function asked<F extends Readonly<Record<string, string>>>(filters: F, before: string | null): Partial<F> & { before?: string; limit: number } {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== "").map(([key, value]) => [key, value.trim()]));
  return { ...(given as Partial<F>), ...(before === null ? {} : { before }), limit: 100 };
}

/** A value of an open answer in one line. */
export function inLine(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface Reading<E> {
  readonly value: Pages<E> | null;
  readonly error: unknown;
  /** Whether a page is being read. */
  readonly reading: boolean;
}

/** Reads pages one after the other, one at a time. It lives as long as what is asked stays the same. */
export class PageReader<E> {
  private readonly changes = new Set<() => void>();
  private seen: Reading<E> = Object.freeze({ value: null, error: null, reading: false });
  /** Which reading is the one that counts: answers to an earlier one are passed over. */
  private turn = 0;

  constructor(private readonly ask: (before: string | null) => Promise<{ entries: readonly E[]; next: string | null }>) {}

  view = (): Reading<E> => this.seen;

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  /** Read the newest again. What there was stays until they are here. */
  restart = (): void => {
    this.turn++;
    void this.read(EMPTY);
  };

  /** Read the next page, if there is one and none is being read. */
  older = (): void => {
    const { value, reading } = this.seen;
    if (value !== null && hasOlder(value) && !reading) void this.read(value);
  };

  private async read(pages: Pages<E>): Promise<void> {
    const mine = this.turn;
    this.set({ ...this.seen, reading: true });
    let said: Reading<E>;
    try {
      said = { value: appended(pages, await this.ask(pages.next)), error: null, reading: false };
    } catch (error) {
      said = { value: this.seen.value, error, reading: false };
    }
    if (mine === this.turn) this.set(said);
  }

  private set(said: Reading<E>): void {
    this.seen = Object.freeze(said);
    for (const changed of this.changes) changed();
  }
}
