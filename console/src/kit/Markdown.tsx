import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import css from "./markdown.module.css";
import { visible } from "./Said";

/** Where a link may lead; anything else is shown as the text that it is. */
const SAFE_LINK = /^(https?:|mailto:)/i;

const COMPONENTS: Components = {
  // The address is shown beside the words, so that they cannot pretend to lead elsewhere, and nothing is opened by itself.
  a: ({ href, children }) =>
    href !== undefined && SAFE_LINK.test(href) ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={visible(href)}>
        {children}
        <span className={css.where}> ({host(href)})</span>
      </a>
    ) : (
      <span>{children}</span>
    ),
  // A picture would be fetched from elsewhere, and tell whoever serves it that it was read.
  img: ({ alt, src }) => (
    <span className={css.picture}>
      [{alt === undefined || alt === "" ? "picture" : alt}
      {typeof src === "string" ? `: ${visible(src)}` : ""}]
    </span>
  ),
  // Headings of a text are not the page's.
  h1: ({ children }) => <p className={css.h1}>{children}</p>,
  h2: ({ children }) => <p className={css.h2}>{children}</p>,
  h3: ({ children }) => <p className={css.h3}>{children}</p>,
  h4: ({ children }) => <p className={css.h3}>{children}</p>,
  h5: ({ children }) => <p className={css.h3}>{children}</p>,
  h6: ({ children }) => <p className={css.h3}>{children}</p>,
  input: ({ checked }) => <span>{checked === true ? "☑" : "☐"} </span>,
  pre: ({ children }) => (
    // It scrolls sideways, so it can be reached by keyboard.
    <pre tabIndex={0} className={css.code}>
      {children}
    </pre>
  ),
};

const PLUGINS = [remarkGfm];

/** Markdown of a model's, as safe elements: no HTML, no pictures, links only to the web, each with its host. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => split(visible(text)), [text]);
  return (
    <div className={`${css.markdown ?? ""} said`} dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
});

/** While a text grows only its last block is read again. */
const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={(url) => url}>
      {text}
    </ReactMarkdown>
  );
});

/**
 * Cuts a text at blank lines that are outside of code fences and lists, so that what stands before a cut is read alone as it is
 * read in the whole. Texts with link definitions stay whole: these reach over cuts.
 */
export function split(text: string): string[] {
  if (/^ {0,3}\[[^\]]+\]:/m.test(text)) return [text];
  const blocks: string[] = [];
  let start = 0;
  let fence = "";
  let at = 0;
  const lines = text.split("\n");
  for (const [number, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    }
    const next = lines[number + 1];
    at += line.length + 1;
    // What follows begins at the margin and is no list, quote or table: a paragraph, a heading or a fence of its own.
    if (fence === "" && line.trim() === "" && next !== undefined && /^[^\s\-*+>|\d]/.test(next)) {
      blocks.push(text.slice(start, at));
      start = at;
    }
  }
  blocks.push(text.slice(start));
  return blocks.filter((block) => block !== "");
}

function host(href: string): string {
  try {
    return new URL(href).host || href.replace(/^mailto:/i, "");
  } catch {
    return href;
  }
}
