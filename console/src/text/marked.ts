export interface Part {
  readonly text: string;
  /** Whether it is one of the words that were looked for. */
  readonly hit: boolean;
}

const WORD = /(?:[\p{L}\p{N}]\p{M}*)+/gu;
/** Written without spaces: a word may stand within others. */
const SPACELESS = /[\u0e00-\u0eff\u3040-\u9fff\u{20000}-\u{3ffff}]/u;

/**
 * A text in parts, with the words of a question apart: in any case, with or without accents and an English plural's ending, as
 * the daemon looks for them. Joined, the parts are the text.
 *
 * @param begins whether it is enough that a word begins so, as in titles.
 */
export function marked(text: string, question: string, begins: boolean): readonly Part[] {
  const asked = [...question.matchAll(WORD)].map(([word]) => plain(word));
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    const at = plain(word);
    const within = SPACELESS.test(word) ? asked.find((one) => SPACELESS.test(one) && at.includes(one)) : undefined;
    if (within === undefined && !asked.some((one) => (begins ? at.startsWith(one) : singular(at) === singular(one)))) continue;
    // Where the plain word has other places than the written one, all of it is marked.
    const from = Math.max(0, within === undefined ? 0 : word.indexOf(within));
    const hit = within !== undefined && word.includes(within) ? within : word;
    if (match.index + from > end) parts.push({ text: text.slice(end, match.index + from), hit: false });
    parts.push({ text: hit, hit: true });
    end = match.index + from + hit.length;
  }
  return end < text.length ? [...parts, { text: text.slice(end), hit: false }] : parts;
}

/** Which of two texts shows the words that were looked for: the answer, unless only the message has them. */
export function telling(asked: string, said: string, question: string): string {
  const has = (text: string): boolean => marked(text, question, false).some(({ hit }) => hit);
  return said === "" || (has(asked) && !has(said)) ? asked : said;
}

function plain(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith("s") || /(?:eies|aies|us|ss)$/.test(word)) return word;
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}
