// Looks at a document and acts on its elements, in a JavaScript world of its own: the page's scripts share the document with it,
// but none of their functions. It names the getters of prototypes, because a form's field called `action` would answer for the form.
// `sulla/browser/frames.py` runs it; its value is the object with what can be asked.
(() => {
  if (globalThis.sullaPage) return;
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const setter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).set;
  const read = (type, name) => { const get = getter(type, name); return (one) => get.call(one); };
  const nodeType = read(Node, "nodeType"), textOf = read(Node, "textContent"), childNodes = read(Node, "childNodes");
  const parentOf = read(Node, "parentElement"), bodyOf = read(Document, "body");
  const urlOf = read(Document, "URL"), titleOf = read(Document, "title"), baseOf = read(Node, "baseURI");
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name) ?? "";
  const short = (text, most) => text.replace(/\s+/g, " ").trim().slice(0, most);
  const tagOf = (element) => getter(Element, "localName").call(element);
  const formOf = { button: HTMLButtonElement, input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement };
  const SKIPPED = new Set("script style noscript template head title meta link object embed audio video canvas svg math iframe frame datalist".split(" "));
  const BLOCKS = new Set("address article aside blockquote br dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td th thead tr ul".split(" "));
  const ROLES = new Set("button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option switch treeitem".split(" "));
  const UNTYPED = new Set("button submit reset image checkbox radio file hidden".split(" "));
  const MAX_NAME = 200, MAX_ADDRESS = 1000, MAX_VISITED = 50000, MIN_PIXELS = 5, MIN_OPACITY = 0.1;
  let nodes = [];

  const alphaOf = (colour) => {
    const found = /^rgba?\([^)]*?(?:[,/]\s*([\d.]+)\s*)?\)$/.exec(colour);
    return found && colour.startsWith("rgba") ? Number(found[1]) : 1;
  };
  // Whether a reader would see the text that stands in an element itself.
  const readable = (element, style, opacity) => {
    if (style.visibility !== "visible" || opacity < MIN_OPACITY || parseFloat(style.fontSize) < MIN_PIXELS) return false;
    if (alphaOf(style.color) < MIN_OPACITY || parseFloat(style.textIndent) < -500) return false;
    const box = Element.prototype.getBoundingClientRect.call(element);
    if (style.display !== "contents" && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0 || box.left + scrollX > 20000)) return false;
    if (style.overflow !== "visible" && (box.width < MIN_PIXELS || box.height < MIN_PIXELS)) return false;
    if (/inset\((?:100%|50%)|circle\(0/.test(style.clipPath) || /rect\((?:0|1)px,? (?:0|1)px/.test(style.clip)) return false;
    return !(style.color === backOf(element) && style.backgroundImage === "none");
  };
  // The colour behind an element: of the nearest that has one.
  const backOf = (element) => {
    for (let at = element, left = 50; at instanceof Element && left; at = parentOf(at), left--) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return "";
      if (alphaOf(style.backgroundColor) > 0) return style.backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };

  const kindOf = (element, tag) => {
    if (tag === "a" || tag === "area") return attribute(element, "href") ? "link" : "";
    if (tag === "button" || tag === "summary") return "button";
    if (tag === "select") return "choice";
    if (tag === "textarea") return "field";
    if (tag === "input") {
      const type = getter(HTMLInputElement, "type").call(element);
      if (type === "hidden") return "";
      if (type === "file") return "file";
      if (type === "checkbox" || type === "radio") return type;
      return UNTYPED.has(type) ? "button" : type === "password" ? "password" : "field";
    }
    const role = attribute(element, "role").toLowerCase();
    if (["textbox", "searchbox", "combobox"].includes(role) || (element instanceof HTMLElement && getter(HTMLElement, "contentEditable").call(element) === "true")) return "field";
    if (ROLES.has(role)) return role;
    return attribute(element, "onclick") ? "button" : "";
  };
  const labelled = (element, tag) => {
    const said = attribute(element, "aria-label");
    if (said) return said;
    if (tag in formOf && tag !== "button") {
      const labels = getter(formOf[tag], "labels").call(element);
      if (labels && labels.length) return labels[0].textContent ?? "";
      if (tag === "input" && kindOf(element, tag) === "button") return getter(HTMLInputElement, "value").call(element) || getter(HTMLInputElement, "type").call(element);
      return attribute(element, "placeholder") || attribute(element, "name");
    }
    const text = element instanceof HTMLElement ? getter(HTMLElement, "innerText").call(element) : textOf(element) ?? "";
    if (text.trim()) return text;
    const picture = Element.prototype.querySelector.call(element, "img[alt], [aria-label], svg title");
    return picture ? attribute(picture, "alt") || attribute(picture, "aria-label") || textOf(picture) || "" : attribute(element, "title");
  };
  const valueOf = (element, tag, kind) => {
    if (kind === "password") return getter(HTMLInputElement, "value").call(element) ? "(something)" : "";
    if (kind === "checkbox" || kind === "radio") return tag === "input" ? (getter(HTMLInputElement, "checked").call(element) ? "on" : "off") : attribute(element, "aria-checked");
    if (kind === "choice") return Array.from(getter(HTMLSelectElement, "selectedOptions").call(element), (one) => one.textContent ?? "").join(", ");
    if (kind !== "field") return "";
    if (tag === "input") return getter(HTMLInputElement, "value").call(element);
    return tag === "textarea" ? getter(HTMLTextAreaElement, "value").call(element) : textOf(element) ?? "";
  };
  const describe = (element) => {
    const tag = tagOf(element), kind = kindOf(element, tag);
    const form = tag in formOf ? getter(formOf[tag], "form").call(element) : null;
    const own = form && kind === "button" ? attribute(element, "formaction") : "";
    const sends = form && (own || attribute(form, "action") || urlOf(document));
    let action = "", address = "";
    try { action = sends ? new URL(sends, baseOf(document)).href : ""; } catch { action = "(no address)"; }
    if (kind === "link" && (tag === "a" || tag === "area")) {
      try { address = new URL(attribute(element, "href"), baseOf(document)).href; } catch { address = "(no address)"; }
    }
    const fields = form ? Array.from(getter(HTMLFormElement, "elements").call(form)).slice(0, 50) : [];
    const holds = fields.filter((one) => tagOf(one) in formOf && kindOf(one, tagOf(one)) !== "button")
      .map((one) => `${short(attribute(one, "name"), 60)}=${short(tagOf(one) === "input" && getter(HTMLInputElement, "type").call(one) === "hidden" ? getter(HTMLInputElement, "value").call(one) : valueOf(one, tagOf(one), kindOf(one, tagOf(one))), 100)}`);
    return {
      kind, name: short(labelled(element, tag), MAX_NAME), address: address.slice(0, MAX_ADDRESS), action: action.slice(0, MAX_ADDRESS),
      method: form ? (attribute(element, "formmethod") || attribute(form, "method") || "get").toLowerCase() : "",
      holds: holds.join(", ").slice(0, 1000), value: short(valueOf(element, tag, kind), MAX_NAME),
      options: kind === "choice" && tag === "select" ? Array.from(getter(HTMLSelectElement, "options").call(element)).slice(0, 30).map((one) => short(one.textContent ?? "", 60)) : [],
    };
  };

  const look = (mostText, mostElements) => {
    nodes = [];
    const elements = [], parts = [];
    let room = mostText, visited = 0, hidden = 0, cut = false;
    const put = (text) => {
      text = text.replace(/[\uE000\uE001]/g, "");  // they stand for elements
      if (room <= 0) { cut = true; return; }
      if (text.length > room) { text = text.slice(0, room); cut = true; }
      room -= text.length;
      parts.push(text);
    };
    const walk = (node, opacity, depth) => {
      if (++visited > MAX_VISITED || depth > 500) { cut = true; return; }
      if (cut) return;
      if (nodeType(node) === 3) {
        const text = node.data;
        if (text.trim()) put(text.replace(/\s+/g, " ")); else if (text) put(" ");
        return;
      }
      if (nodeType(node) !== 1) return;
      const tag = tagOf(node);
      if (SKIPPED.has(tag)) return;
      const style = getComputedStyle(node);
      if (style.display === "none" || style.contentVisibility === "hidden") { if (textOf(node)?.trim()) hidden++; return; }
      const seen = opacity * parseFloat(style.opacity || "1");
      const shows = readable(node, style, seen);
      const kind = shows || ["checkbox", "radio"].includes(kindOf(node, tag)) ? kindOf(node, tag) : "";
      const block = BLOCKS.has(tag) || /^(?:block|flex|grid|list-item|table)/.test(style.display);
      if (block) parts.push("\n");
      if (/^h[1-6]$/.test(tag)) put("#".repeat(Number(tag[1])) + " ");
      if (tag === "li") put("- ");
      if (kind && elements.length < mostElements) {
        nodes.push(node);
        const said = describe(node);
        elements.push(said);
        parts.push(`\uE000${elements.length - 1}\uE001`);
        if (kind === "choice" || kind === "field" || kind === "password" || tag === "button" || kind === "link") {
          if (block) parts.push("\n");
          room -= said.name.length;
          return;
        }
      } else if (kind) cut = cut || elements.length >= mostElements;
      const folded = tag === "details" && !getter(HTMLDetailsElement, "open").call(node);
      for (const child of children(node)) {
        if (folded && !(nodeType(child) === 1 && tagOf(child) === "summary")) { if (textOf(child)?.trim()) hidden++; continue; }
        if (nodeType(child) === 3 && !shows) { if (child.data.trim()) hidden++; continue; }
        walk(child, seen, depth + 1);
      }
      if (tag === "td" || tag === "th") put(" | ");
      if (block) parts.push("\n");
    };
    const body = bodyOf(document);
    if (body) walk(body, 1, 0);
    return { url: urlOf(document), title: short(titleOf(document), 300), text: parts.join(""), elements, hidden, cut };
  };
  const children = (node) => {
    if (tagOf(node) === "slot") {
      const given = HTMLSlotElement.prototype.assignedNodes.call(node, { flatten: true });
      if (given.length) return given;
    }
    const shadow = getter(Element, "shadowRoot").call(node);
    return Array.from(childNodes(shadow ?? node));
  };

  const again = (index) => {
    const element = nodes[index];
    return element && getter(Node, "isConnected").call(element) ? describe(element) : null;
  };
  const same = (index, expected) => {
    const now = again(index);
    return now !== null && ["kind", "name", "address", "action", "method", "holds"].every((key) => now[key] === expected[key]);
  };
  const fire = (element, Type, name, more) => EventTarget.prototype.dispatchEvent.call(element, new Type(name, { bubbles: true, cancelable: true, composed: true, view: window, ...more }));
  const reach = (element) => {
    Element.prototype.scrollIntoView.call(element, { block: "center", behavior: "instant" });
    if (element instanceof HTMLElement) HTMLElement.prototype.focus.call(element, { preventScroll: true });
  };
  // What would open another page opens in this one.
  const stay = (element) => {
    const form = tagOf(element) in formOf ? getter(formOf[tagOf(element)], "form").call(element) : null;
    for (const one of [element, form]) {
      for (const name of one ? ["target", "formtarget"] : []) {
        if (attribute(one, name)) Element.prototype.setAttribute.call(one, name, "_self");
      }
    }
  };
  // The very element is clicked, and no place on the screen: nothing can be slid over or under it.
  const click = (index, expected) => {
    if (!same(index, expected)) return "changed";
    const element = nodes[index], box = Element.prototype.getBoundingClientRect.call(element);
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, button: 0, detail: 1, pointerId: 1, isPrimary: true };
    reach(element);
    stay(element);
    fire(element, PointerEvent, "pointerdown", at);
    fire(element, MouseEvent, "mousedown", at);
    fire(element, PointerEvent, "pointerup", at);
    fire(element, MouseEvent, "mouseup", at);
    if (!same(index, expected)) return "changed";
    if (element instanceof HTMLElement) HTMLElement.prototype.click.call(element); else fire(element, MouseEvent, "click", at);
    return "done";
  };
  const type = (index, expected, text, submit) => {
    if (!same(index, expected)) return "changed";
    const element = nodes[index], tag = tagOf(element);
    reach(element);
    stay(element);
    if (tag === "select") {
      const options = Array.from(getter(HTMLSelectElement, "options").call(element));
      const found = options.find((one) => short(one.textContent ?? "", 1000) === text) ?? options.find((one) => one.value === text);
      if (!found) return "no such choice";
      setter(HTMLSelectElement, "value").call(element, found.value);
    } else if (tag === "input" || tag === "textarea") {
      if (getter(formOf[tag], "disabled").call(element) || getter(formOf[tag], "readOnly").call(element)) return "not for typing";
      setter(formOf[tag], "value").call(element, text);
    } else {
      Document.prototype.execCommand.call(document, "selectAll");
      Document.prototype.execCommand.call(document, "insertText", false, text);
    }
    fire(element, InputEvent, "input", { inputType: "insertText", data: text });
    fire(element, Event, "change", {});
    if (!submit) return "done";
    const key = { key: "Enter", code: "Enter", keyCode: 13, which: 13 };
    const goes = fire(element, KeyboardEvent, "keydown", key) && fire(element, KeyboardEvent, "keypress", key);
    fire(element, KeyboardEvent, "keyup", key);
    const form = tag in formOf ? getter(formOf[tag], "form").call(element) : null;
    const now = again(index);
    if (now === null || now.action !== expected.action) return form ? "typed, not sent" : "done";
    if (goes && form) HTMLFormElement.prototype.requestSubmit.call(form);
    return "done";
  };
  const height = () => Math.max(getter(Element, "scrollHeight").call(read(Document, "documentElement")(document)), innerHeight);
  globalThis.sullaPage = { look, click, type, height };
})();
