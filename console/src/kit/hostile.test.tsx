// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HOSTILE } from "./hostile";
import { Markdown } from "./Markdown";
import { Said } from "./Said";

afterEach(cleanup);

const ALLOWED = new Set(
  "DIV P SPAN A PRE CODE BUTTON UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD EM STRONG DEL HR BR BDI SECTION SUP H2".split(" "),
);
/** Characters that would not be seen, or turn a line around. */
// eslint-disable-next-line no-control-regex -- these are the characters that are looked for
const UNSEEN = /[\u0000-\u0008\u001b\u200b\u2028-\u202e\u2066-\u2069\ufeff]/;

function judge(container: HTMLElement): void {
  for (const element of container.querySelectorAll("*")) {
    expect(ALLOWED).toContain(element.tagName);
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^src|^srcdoc|^action|^formaction|^data$|^background$|^xlink/);
      if (name === "style") expect(value).not.toMatch(/url|position/);
    }
  }
  for (const link of container.querySelectorAll("a")) {
    const href = link.getAttribute("href") ?? "";
    expect(href).toMatch(/^(https?:|mailto:)/i);
    expect(link.getAttribute("rel")).toContain("noopener");
    expect(link.getAttribute("target")).toBe("_blank");
    // Where it leads stands beside it, whatever its words say.
    const where = /^mailto:/i.test(href) ? href.replace(/^mailto:/i, "") : new URL(href).host;
    expect(link.textContent).toContain(`(${where})`);
  }
  expect(container.textContent).not.toMatch(UNSEEN);
}

describe("a hostile text", () => {
  it("stands in a list of at least 80", () => {
    expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(80);
  });

  it.each(HOSTILE.map((text) => [text.slice(0, 60), text]))("read as Markdown runs, fetches and hides nothing: %j", (_, text) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const { container } = render(<Markdown text={text} />);
    judge(container);
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each(HOSTILE.map((text) => [text.slice(0, 60), text]))("shown as it is, is text: %j", (_, text) => {
    const { container } = render(<Said>{text}</Said>);
    expect(container.querySelectorAll("*")).toHaveLength(1);
    expect(container.textContent).not.toMatch(UNSEEN);
  });
});
