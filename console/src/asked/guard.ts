/** A question, or something else that is decided with one press, where it stands on the page. */
export interface Placed {
  readonly id: string;
  readonly left: number;
  readonly top: number;
}

/** How long the page has to be at rest around a question before a press is taken as one for it. */
export const REST_MS = 1000;
/** How long what a person has opened, such as a dialog, has to be at rest: they look at it already. */
export const OPENED_MS = 400;
/** How long a question has to be the selected one before a key answers it, and one that a person has gone to. */
export const SELECTED_MS = 700;
export const FOCUSED_MS = 300;
/** A focus that comes so shortly after a Tab or a press came by it. */
const STEP_MS = 100;
/** How long an answer that was given is shown in the place of its question. */
export const SHOWN_MS = 4000;
/** The place of a question counts as another one from so many pixels on. */
const MOVED_PX = 4;
/** So long after a person has scrolled, what moves all at once moves by that. */
const SCROLLED_MS = 300;

/**
 * Decides whether a press or a key is taken as an answer: only if the question that it falls on is the one that the person has
 * seen there. One for all questions of the page. It has no clock: it is told the time, in milliseconds.
 */
export class Guard {
  private places: readonly Placed[] = [];
  private readonly stirred = new Map<string, number>();
  private readonly arrived = new Map<string, number>();
  private readonly given = new Map<string, { readonly verdict: string; readonly at: number }>();
  private lastAnswer = -Infinity;
  private scrolled = -Infinity;
  private stepped = -Infinity;
  private readonly opened = new Set<string>();
  private pressed: { readonly id: string; readonly taken: boolean } | null = null;
  private selected = { id: "", at: 0, restMs: SELECTED_MS };

  /** Where all questions stand now, from the top down. */
  seen(now: number, places: readonly Placed[]): void {
    const before = new Map(this.places.map((place) => [place.id, place]));
    const scroll = now - this.scrolled < SCROLLED_MS ? commonShift(before, places) : 0;
    const isNew = (place: Placed): boolean => {
      const old = before.get(place.id);
      return old === undefined || Math.abs(place.left - old.left) > MOVED_PX || Math.abs(place.top - old.top - scroll) > MOVED_PX;
    };
    const stir = (id: string | undefined): void => {
      if (id !== undefined) this.stirred.set(id, now);
    };
    places.forEach((place, at) => {
      if (!isNew(place)) return;
      for (const one of [places[at - 1], place, places[at + 1]]) stir(one?.id);
    });
    const here = new Set(places.map((place) => place.id));
    for (const id of here) if (!before.has(id)) this.arrived.set(id, now);
    this.places.forEach((place, at) => {
      if (here.has(place.id)) return;
      this.stirred.delete(place.id);
      this.arrived.delete(place.id);
      this.opened.delete(place.id);
      for (const one of [this.places[at - 1], this.places[at + 1]]) if (one !== undefined && here.has(one.id)) stir(one.id);
    });
    // A slow drift is a move as well: what moved by less is measured from where it was.
    this.places = places.map((place) => {
      const old = before.get(place.id);
      return old === undefined || isNew(place) ? place : { id: place.id, left: old.left, top: old.top + scroll };
    });
  }

  /** The person has scrolled: what moves all at once by that has not moved under the pointer by itself. */
  scrolls(now: number): void {
    this.scrolled = now;
  }

  /** A person has opened this: it has not come by itself. */
  opens(id: string): void {
    this.opened.add(id);
  }

  /** Whether a press at this time is taken for this question. */
  isReady(id: string, now: number): boolean {
    const stirred = this.stirred.get(id);
    return stirred !== undefined && now - stirred >= this.restMs(id) && now - this.lastAnswer >= REST_MS && this.verdict(id, now) === "";
  }

  /** The pointer goes down on a question. */
  down(id: string, now: number): void {
    this.pressed = { id, taken: this.isReady(id, now) };
  }

  /** Whether a click is taken: the pointer went down on the same question, which was at rest then and now. */
  clicks(id: string, now: number): boolean {
    const { pressed } = this;
    this.pressed = null;
    return pressed?.id === id && pressed.taken && this.isReady(id, now);
  }

  /** The person moves the focus by Tab or by a press: where it goes now, they want it. */
  steps(now: number): void {
    this.stepped = now;
  }

  /** Which question is the selected one, or has the focus: on which keys act. */
  select(id: string, now: number): void {
    const restMs = now - this.stepped < STEP_MS ? FOCUSED_MS : SELECTED_MS;
    if (this.selected.id !== id) this.selected = { id, at: now, restMs };
    else if (restMs < this.selected.restMs) this.selected = { ...this.selected, restMs };
  }

  /**
   * Whether a key that acts on the selected question is taken; `whole`: all of it is to be seen. A key goes to what is selected,
   * wherever that stands, so that text that grows around a question keeps nobody without a mouse from answering.
   */
  keys(id: string, now: number, whole: boolean): boolean {
    return whole && this.isThere(id, now) && this.selected.id === id && now - this.selected.at >= this.selected.restMs;
  }

  /** Whether a key is refused only because the question has not been the selected one for long enough. */
  isJustSelected(id: string, now: number): boolean {
    return this.isThere(id, now) && !this.keys(id, now, true);
  }

  /** An answer is on its way. */
  answers(id: string, verdict: string, now: number): void {
    this.lastAnswer = now;
    this.given.set(id, { verdict, at: now });
  }

  /** The answer was not taken: the question is open as before. */
  refused(id: string): void {
    this.given.delete(id);
  }

  /** What was answered from here a moment ago; empty for nothing. */
  verdict(id: string, now: number): string {
    const given = this.given.get(id);
    if (given === undefined) return "";
    // A little longer than it is shown as answered. If it is still asked then, it can be answered again.
    if (now - given.at < SHOWN_MS + REST_MS) return given.verdict;
    this.given.delete(id);
    return "";
  }

  private restMs(id: string): number {
    return this.opened.has(id) ? OPENED_MS : REST_MS;
  }

  private isThere(id: string, now: number): boolean {
    const arrived = this.arrived.get(id);
    return arrived !== undefined && now - arrived >= this.restMs(id) && now - this.lastAnswer >= REST_MS && this.verdict(id, now) === "";
  }
}

/** By how much all that was there before has moved up or down; 0 if not all moved alike. */
function commonShift(before: ReadonlyMap<string, Placed>, now: readonly Placed[]): number {
  const shifts = now.flatMap((place) => {
    const old = before.get(place.id);
    return old === undefined ? [] : [place.top - old.top];
  });
  const first = shifts[0] ?? 0;
  return shifts.every((shift) => Math.abs(shift - first) <= 1) ? first : 0;
}
