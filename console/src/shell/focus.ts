/** What can have the focus, by its own nature or because somebody said so. */
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]";

/**
 * Whoever has no mouse is where the focus is. When what has it is taken away or can do nothing any more, the focus goes to what
 * stands nearest, and not to the body, from where all would begin again.
 *
 * A view that knows a better place gives it the focus in an effect: this waits for the next picture.
 *
 * @returns ends it.
 */
export function keepFocus(root: Document): () => void {
  let last: { element: Element; above: readonly Element[] } | null = null;
  let looks = false;
  const focused = ({ target }: FocusEvent): void => {
    if (target instanceof Element && target !== root.body) last = { element: target, above: aboveOf(target) };
  };
  // A pointer that is pressed on nothing takes the focus away because somebody wants it so.
  const pressed = (): void => {
    last = null;
  };
  const look = (): void => {
    looks = false;
    if (last === null || !isLost(root, last.element)) return;
    nearest(last.element, last.above)?.focus({ preventScroll: true });
  };
  const changed = new MutationObserver(() => {
    if (looks || last === null || !isLost(root, last.element)) return;
    looks = true;
    requestAnimationFrame(() => setTimeout(look));
  });
  changed.observe(root.body, { childList: true, subtree: true, attributeFilter: ["disabled", "hidden", "open"] });
  root.addEventListener("focusin", focused);
  root.addEventListener("pointerdown", pressed, true);
  return () => {
    changed.disconnect();
    root.removeEventListener("focusin", focused);
    root.removeEventListener("pointerdown", pressed, true);
  };
}

/** Chromium says for a moment that a button that is off still has the focus, so the button itself is asked. */
function isLost(root: Document, element: Element): boolean {
  const at = root.activeElement;
  return at === null || at === root.body || (at === element && element.matches(":disabled"));
}

function aboveOf(element: Element): Element[] {
  const above: Element[] = [];
  for (let at = element.parentElement; at !== null; at = at.parentElement) above.push(at);
  return above;
}

function nearest(element: Element, above: readonly Element[]): HTMLElement | null {
  if (element instanceof HTMLElement && element.isConnected && element.matches(FOCUSABLE)) return element;
  for (const one of above) {
    if (!one.isConnected || !(one instanceof HTMLElement)) continue;
    if (one.matches(FOCUSABLE)) return one;
    // Beside a button that is off there is often one that is not.
    const beside = element.isConnected && one === element.parentElement ? one.querySelector<HTMLElement>(FOCUSABLE) : null;
    if (beside !== null) return beside;
  }
  return null;
}
