import { Guard } from "./guard";
import { Wholes } from "./whole";

/** Tells the guard of the page where questions stand, on every picture that the browser draws while there are any. */
export class Watch {
  readonly guard = new Guard();
  /** Which long calls were shown whole. */
  readonly wholes = new Wholes();
  private readonly elements = new Map<string, HTMLElement>();
  private readonly changes = new Set<() => void>();
  private states = new Map<string, string>();
  private frame = 0;

  constructor() {
    for (const kind of ["wheel", "touchmove"]) addEventListener(kind, () => this.guard.scrolls(performance.now()), { passive: true, capture: true });
    addEventListener("pointerdown", () => this.guard.steps(performance.now()), { passive: true, capture: true });
    addEventListener("keydown", (event) => {
      if (event.key === "Tab") this.guard.steps(performance.now());
    }, { capture: true });
  }

  /** Keep an eye on an element as long as it is shown. */
  add(id: string, element: HTMLElement): () => void {
    this.elements.set(id, element);
    if (this.frame === 0) this.frame = requestAnimationFrame(this.look);
    return () => {
      if (this.elements.get(id) === element) this.elements.delete(id);
    };
  }

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  /** `ready`, `waits` or, after an answer from here, its verdict. */
  state = (id: string): string => this.states.get(id) ?? "waits";

  /** Look where everything stands, now: before a press is judged as well. */
  measure(): void {
    const now = performance.now();
    const places = [...this.elements].map(([id, element]) => {
      const { left, top } = element.getBoundingClientRect();
      return { id, left, top };
    });
    places.sort((one, other) => one.top - other.top || one.left - other.left);
    this.guard.seen(now, places);
    const before = this.states;
    this.states = new Map(places.map(({ id }) => [id, this.guard.verdict(id, now) || (this.guard.isReady(id, now) ? "ready" : "waits")]));
    if (before.size !== this.states.size || [...this.states].some(([id, state]) => before.get(id) !== state)) for (const changed of this.changes) changed();
  }

  private look = (): void => {
    this.measure();
    this.frame = this.elements.size > 0 ? requestAnimationFrame(this.look) : 0;
  };
}

/** Whether all of an element is to be seen, within all that scrolls around it; of one that is higher than that, its end. */
export function isWhole(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  let [from, to] = [0, innerHeight];
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    if (!/auto|scroll|hidden|clip/.test(getComputedStyle(around).overflowY) || around === document.body || around === document.documentElement) continue;
    const box = around.getBoundingClientRect();
    from = Math.max(from, box.top);
    to = Math.min(to, box.bottom);
  }
  return bottom <= to + 1 && (top >= from - 1 || bottom - top > to - from);
}
