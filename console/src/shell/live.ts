import type { Connection } from "../protocol/connection";
import type { LiveNews, LiveRow, LiveRows } from "../protocol/generated";

export interface LiveView {
  /** Null until the daemon has said it once. */
  readonly rows: ReadonlyMap<string, LiveRow> | null;
  readonly more: boolean;
  readonly switch: LiveRows["switch"];
}

/** Everything that works or waits at this moment, kept up to date. It lives as long as the page. */
export class Live {
  private readonly changes = new Set<() => void>();
  private seen: LiveView = Object.freeze({ rows: null, more: false, switch: { paused: false, by: "", since: null, reason: "" } });

  constructor(connection: Connection) {
    connection.watch("live.watch", {}, (result) => {
      const { rows, more, switch: state } = result as LiveRows;
      this.set({ rows: new Map(rows.map((row) => [row.thread_id, row])), more, switch: state });
    });
    connection.on("live", (params) => {
      const { changed, gone, more, switch: state } = params as unknown as LiveNews;
      const rows = new Map(this.seen.rows ?? []);
      for (const id of gone) rows.delete(id);
      for (const row of changed) rows.set(row.thread_id, row);
      this.set({ rows, more, switch: state });
    });
  }

  view = (): LiveView => this.seen;

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  private set(view: LiveView): void {
    this.seen = Object.freeze(view);
    for (const changed of this.changes) changed();
  }
}
