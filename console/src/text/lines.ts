/** A run of lines of two texts: the same in both, or others in each. Lines count from 1. */
export type Piece =
  | { readonly same: true; readonly lines: readonly string[] }
  | {
      readonly same: false;
      readonly theirs: readonly string[];
      readonly theirsFrom: number;
      readonly mine: readonly string[];
      readonly mineFrom: number;
    };

/** Pairs of lines that are compared; what would need more is told as one run of others. */
const MOST_PAIRS = 4_000_000;

/** What two texts have in common and where they differ, in the order of the lines; joined, the pieces are the texts. */
export function compared(theirs: string, mine: string): readonly Piece[] {
  const [one, other] = [theirs.split("\n"), mine.split("\n")];
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...matches(one, other), [one.length, other.length] as const]) {
    if (nextI > i || nextJ > j) pieces.push({ same: false, theirs: one.slice(i, nextI), theirsFrom: i + 1, mine: other.slice(j, nextJ), mineFrom: j + 1 });
    const line = one[nextI];
    if (line !== undefined) {
      const last = pieces.at(-1);
      if (last?.same === true) pieces[pieces.length - 1] = { same: true, lines: [...last.lines, line] };
      else pieces.push({ same: true, lines: [line] });
    }
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return pieces;
}

/** The places of lines that are the same, in rising order: as many as there can be. */
function matches(one: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  let head = 0;
  while (head < Math.min(one.length, other.length) && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < Math.min(one.length, other.length) - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const found: (readonly [number, number])[] = Array.from({ length: head }, (_, at) => [at, at]);
  found.push(...between(one.slice(head, one.length - tail), other.slice(head, other.length - tail)).map(([i, j]) => [i + head, j + head] as const));
  for (let left = tail; left > 0; left--) found.push([one.length - left, other.length - left]);
  return found;
}

function between(one: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  if (one.length * other.length > MOST_PAIRS) return [];
  const width = other.length + 1;
  // How many lines can be the same from each pair of places on.
  const most = new Uint32Array((one.length + 1) * width);
  const at = (i: number, j: number): number => most[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      most[i * width + j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) found.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
}
