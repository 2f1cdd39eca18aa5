const FIRST_S = 0.25;
const LONGEST_S = 8;

/**
 * How long to wait before the next attempt to connect, in seconds: doubled each time, at most 8, and up to a quarter of it
 * less by chance, so that many pages do not come back at once.
 *
 * @param attempt counts from 0.
 * @param chance from 0 to 1.
 */
export function waitS(attempt: number, chance: number): number {
  return Math.min(LONGEST_S, FIRST_S * 2 ** Math.min(attempt, 10)) * (1 - 0.25 * chance);
}
