import { marked } from "../text/marked";

/** Text that a model, a tool, a file or a person said, in one line or as it is: shown as text, and kept in its own direction. */
export function Said({ children, title }: { children: string; title?: string }) {
  return (
    <bdi className="said" title={title === undefined ? undefined : visible(title)}>
      {visible(children)}
    </bdi>
  );
}

/** The same, with the words marked that were looked for. */
export function SaidMarked({ children, words, begins = false }: { children: string; words: string; begins?: boolean }) {
  return (
    <bdi className="said">
      {marked(visible(children), words, begins).map(({ text, hit }, index) => (hit ? <mark key={index}>{text}</mark> : text))}
    </bdi>
  );
}

// eslint-disable-next-line no-control-regex -- these are the characters that it takes out
const COLOURS = /\u001b\[[0-9;]*m/g;
/** What steers a terminal otherwise; a text may lie within, which a terminal does not show either. */
// eslint-disable-next-line no-control-regex -- as above
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
// eslint-disable-next-line no-control-regex -- as above
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** More marks on one letter than any script has: they are drawn over the lines around it. */
const MARKS = /(\p{M}{8})(\p{M}+)/gu;

/** The text without terminal colours, with a mark where something else for a terminal was left out, and with characters that would not be seen, or turn the line around, spelled out. A carriage return ends a line, as it does where it is pasted. */
export function visible(text: string): string {
  return text
    .replace(COLOURS, "")
    .replace(ESCAPES, (left) => `[${Array.from(left).length} characters for a terminal left out]`)
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`)
    .replace(MARKS, (_, kept: string, more: string) => `${kept}[${Array.from(more).length} more marks]`);
}
