import { isValidElement, memo, useMemo, useState, type ReactElement, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { catalog } from "../text/catalog";
import { count } from "../text/figures";
import { blocks, readUpTo } from "./blocks";
import { Button } from "./Button";
import { Copy } from "./Copy";
import css from "./markdown.module.css";
import { visible } from "./Said";

const t = catalog("markdown", { rest: "Plain text from here: {count} characters. Read more of it as Markdown" });

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
  table: ({ children }) => (
    <div tabIndex={0} className={css.wide}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    <div className={css.codeBox}>
      <Copy name="code" text={textOf(children).replace(/\n$/, "")} className={css.copy} />
      {/* It scrolls sideways, so it can be reached by keyboard. */}
      <pre tabIndex={0} className={css.code}>
        {children}
      </pre>
    </div>
  ),
};

/** The text of what Markdown has made. */
function textOf(node: ReactNode): string {
  if (typeof node === "string") return node;
  if (Array.isArray(node)) return node.map(textOf).join("");
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : "";
}

const PLUGINS = [remarkGfm];

/**
 * Markdown of a model's, as safe elements: no HTML, no pictures, links only to the web, each with its host. What is too large or
 * too deep to be read without holding up the page is shown as plain text.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const [times, setTimes] = useState(1);
  const seen = useMemo(() => visible(text), [text]);
  const end = readUpTo(seen, times);
  const parts = useMemo(() => blocks(seen.slice(0, end)), [seen, end]);
  return (
    <div className={`${css.markdown ?? ""} said`} dir="auto">
      {parts.map((block, index) => (
        <Part key={index} text={block.text} plain={block.plain !== ""} />
      ))}
      {end < seen.length && (
        <>
          <p>
            <Button onClick={() => setTimes(times + 1)}>{t("rest", { count: count(seen.length - end) })}</Button>
          </p>
          <pre className={css.plain}>{seen.slice(end)}</pre>
        </>
      )}
    </div>
  );
});

/** While a text grows only its last piece is read again. */
const Part = memo(function Part({ text, plain }: { text: string; plain: boolean }) {
  const read = plain ? null : markdown(text);
  return read ?? <pre className={css.plain}>{text}</pre>;
});

/** The text as elements; null if it cannot be read. */
function markdown(text: string): ReactElement | null {
  try {
    // Called here and not drawn, so that a text on which the reader fails is plain text, and the view stays.
    return ReactMarkdown({ children: text, remarkPlugins: PLUGINS, components: COMPONENTS, urlTransform: (url) => url });
  } catch {
    return null;
  }
}

function host(href: string): string {
  try {
    return new URL(href).host || href.replace(/^mailto:/i, "");
  } catch {
    return href;
  }
}
