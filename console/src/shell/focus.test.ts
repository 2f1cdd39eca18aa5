// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepFocus } from "./focus";

const drawn = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))));

function at(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`there is no ${id}`);
  return found;
}

function made<K extends "main" | "section" | "button">(kind: K, id: string, ...inside: Element[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(kind);
  element.id = id;
  element.append(...inside);
  return element;
}

describe("the focus", () => {
  let end = (): void => undefined;
  beforeEach(() => {
    const main = made("main", "main", made("section", "section", made("button", "one"), made("button", "two")));
    main.tabIndex = -1;
    document.body.replaceChildren(main);
    end = keepFocus(document);
  });
  afterEach(() => end());

  it("goes to what is above when what had it is taken away", async () => {
    at("one").focus();
    at("section").remove();
    await drawn();
    expect(document.activeElement?.id).toBe("main");
  });

  it("goes to the next button when its own is off", async () => {
    at("one").focus();
    at("one").setAttribute("disabled", "");
    await drawn();
    expect(document.activeElement?.id).toBe("two");
  });

  it("stays where a view has put it", async () => {
    at("one").focus();
    at("one").remove();
    at("two").focus();
    await drawn();
    expect(document.activeElement?.id).toBe("two");
  });

  it("stays away when somebody has pressed a pointer on nothing", async () => {
    at("one").focus();
    document.body.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    at("one").blur();
    at("two").remove();
    await drawn();
    expect(document.activeElement).toBe(document.body);
  });
});
