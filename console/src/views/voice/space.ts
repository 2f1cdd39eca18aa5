/** What the space bar finds in focus. */
export interface InFocus {
  /** Lower case, as in `button`. */
  readonly tag: string;
  /** The type of an input; else empty. */
  readonly type: string;
  readonly editable: boolean;
  /** It was pressed with a pointer, which leaves the focus on it. */
  readonly byPointer: boolean;
}

const NO_TEXT = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"];

/**
 * Whether the space bar is left to what has the focus: to a text field always, to what is set with that key alone if it was reached
 * with the keyboard. Buttons and links are pressed with Enter.
 */
export function keepsSpace({ tag, type, editable, byPointer }: InFocus): boolean {
  if (editable || tag === "textarea" || (tag === "input" && !NO_TEXT.includes(type))) return true;
  return !byPointer && (tag === "select" || (tag === "input" && type !== "button" && type !== "submit" && type !== "reset"));
}

/** The space bar, from its press to its release: what it began it ends, whatever has the focus then. */
export class SpaceBar {
  private holds = false;

  /** @returns `talk` to begin, `nothing` for a press that is taken and does no more, null if it is not meant for talking. */
  down(focus: InFocus, repeat: boolean): "talk" | "nothing" | null {
    if (this.holds) return "nothing";
    if (keepsSpace(focus)) return null;
    if (repeat) return "nothing";
    this.holds = true;
    return "talk";
  }

  /** Whether that ends the talk. */
  up(): boolean {
    const held = this.holds;
    this.holds = false;
    return held;
  }
}
