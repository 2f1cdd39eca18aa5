/** Whether a graph is brought into its frame: at first, and whenever the count of its nodes changes, unless somebody has moved it. Pure. */
export function toFit(before: number, now: number, moved: boolean): boolean {
  return now > 0 && before !== now && !moved;
}

/** A part of the frame, or of the graph: where its corner is, and how large it is. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a graph stands in its frame: what is at (x, y) of the graph is seen at (x · zoom + this x, …). */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Of a box that is larger than the frame so much is brought into it, from its beginning. */
const MOST_OF_BOX = 200;
/** Of a box that is seen at least its beginning is in the frame, in pixels. */
const BEGINNING = { width: 120, height: 48 };
/** At a smaller one nothing can be read. */
const LEAST_ZOOM = 0.5;

/** The view in whose middle a box is; null if its beginning is seen as it is. Pure. */
export function toShow(box: Rect, view: View, frame: { readonly width: number; readonly height: number }): View | null {
  const height = Math.min(box.height, MOST_OF_BOX);
  const [left, top] = [box.x * view.zoom + view.x, box.y * view.zoom + view.y];
  const right = left + Math.min(box.width * view.zoom, BEGINNING.width);
  const bottom = top + Math.min(height * view.zoom, BEGINNING.height);
  if (left >= 0 && top >= 0 && right <= frame.width && bottom <= frame.height) return null;
  const zoom = Math.max(view.zoom, LEAST_ZOOM);
  return { x: frame.width / 2 - (box.x + box.width / 2) * zoom, y: frame.height / 2 - (box.y + height / 2) * zoom, zoom };
}
