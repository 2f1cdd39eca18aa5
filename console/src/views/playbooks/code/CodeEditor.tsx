import { acceptCompletion, autocompletion, completionStatus, moveCompletionSelection, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { indentService } from "@codemirror/language";
import { forceLinting, linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState, Prec, Transaction } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";
import { visible } from "../../../kit/Said";
import type { Edit } from "../text/edit";
import { faultRange, readFault, toCheck, type Fault } from "../text/faults";
import { keyAt, placeAt } from "../text/place";
import { hoverAt } from "../text/schema";
import { indentBehind } from "./indent";
import { offers, opensNow, type Names } from "./offers";
import { playbookSchema } from "./schema_source";
import { theme } from "./theme";

/** What the page does with an editor that is there. */
export interface EditorHandle {
  text(): string;
  /** One step of undoing, whatever it changes. */
  apply(edit: Edit): void;
  replace(text: string): void;
  /** Select from a place to another one, and show it. */
  show(from: number, to: number, focus?: boolean): void;
  focus(): void;
}

export interface CodeEditorProps {
  /** The text that it begins with. */
  readonly first: string;
  readonly label: string;
  readonly readOnly: boolean;
  readonly names: Names;
  onText: (text: string) => void;
  onCursor: (offset: number) => void;
  /** What is wrong with a text, each as the daemon says it. */
  check: (text: string) => Promise<readonly string[]>;
  onFaults: (faults: readonly Fault[]) => void;
  onReady: (handle: EditorHandle | null) => void;
}

const CHECK_MS = 300;
/** Behind it the text is shown without completion: looking through it would take longer than typing. */
const MOST_CHARS = 200_000;

/**
 * A text of YAML in an editor. It stands in a shadow of the page, where its styles are sheets that scripts make: the page's policy
 * allows no others.
 */
export default function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const now = useRef(props);
  const writable = useRef(new Compartment());
  const view = useRef<EditorView | null>(null);
  useEffect(() => {
    now.current = props;
  });

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const editor = new EditorView({
      parent: shadow,
      root: shadow,
      state: EditorState.create({
        doc: now.current.first,
        extensions: [
          theme,
          basicSetup,
          yaml(),
          lintGutter(),
          linter((at) => diagnose(at, now.current), { delay: CHECK_MS }),
          // None is chosen until an arrow key does: Enter stays Enter, so that no key has to wait until the offers were seen.
          autocompletion({ override: [(context) => complete(context, now.current.names)], selectOnOpen: false, interactionDelay: 0 }),
          Prec.high(keymap.of([{ key: "Tab", run: takeOffer }])),
          indentService.of((at, offset) => (at.simulatedBreak === offset ? (indentBehind(at.state.doc.sliceString(0, offset)) ?? undefined) : undefined)),
          hoverTooltip((at, offset) => hover(at.state, offset)),
          writable.current.of(mode(now.current.readOnly)),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": now.current.label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) now.current.onText(update.state.doc.toString());
            if (update.docChanged || update.selectionSet) now.current.onCursor(update.state.selection.main.head);
          }),
        ],
      }),
    });
    view.current = editor;
    now.current.onReady(handleOf(editor));
    forceLinting(editor);
    return () => {
      now.current.onReady(null);
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: writable.current.reconfigure(mode(props.readOnly)) });
  }, [props.readOnly]);

  return <div ref={host} style={{ height: "100%", minHeight: 0 }} />;
}

function mode(readOnly: boolean) {
  return [EditorState.readOnly.of(readOnly)];
}

function handleOf(editor: EditorView): EditorHandle {
  const one = (spec: Parameters<EditorView["dispatch"]>[0]): void => {
    editor.dispatch({ ...spec, annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.graph")] } as never);
  };
  return {
    text: () => editor.state.doc.toString(),
    apply: (edit) => one({ changes: edit.changes.map((change) => ({ ...change })) }),
    replace: (text) => one({ changes: { from: 0, to: editor.state.doc.length, insert: text } }),
    show: (from, to, focus = false) => {
      const end = editor.state.doc.length;
      editor.dispatch({
        selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: "center" }),
      });
      if (focus) editor.focus();
    },
    focus: () => editor.focus(),
  };
}

/** The offer that was chosen, else the first one; with none open the key moves the focus on. */
function takeOffer(view: EditorView): boolean {
  if (completionStatus(view.state) !== "active") return false;
  return acceptCompletion(view) || (moveCompletionSelection(true)(view) && acceptCompletion(view));
}

async function diagnose(view: EditorView, props: CodeEditorProps): Promise<Diagnostic[]> {
  const text = view.state.doc.toString();
  let said: readonly string[];
  try {
    said = await props.check(toCheck(text));
  } catch {
    return []; // the page says that the connection is lost
  }
  const faults = said.map(readFault);
  props.onFaults(faults);
  return faults.map((fault) => {
    const { from, to } = faultRange(text, fault);
    return { from, to, severity: fault.severity, message: visible(fault.cause), source: fault.rule };
  });
}

async function complete(context: CompletionContext, names: Names): Promise<CompletionResult | null> {
  if (context.state.doc.length > MOST_CHARS) return null;
  const text = context.state.doc.toString();
  const place = placeAt(text, context.pos);
  if (place === null || !opensNow(context.explicit, place.from, context.pos)) return null;
  const schema = await playbookSchema().catch(() => null);
  if (schema === null || context.aborted) return null;
  const found = offers(schema, place, names);
  if (found.length === 0) return null;
  return {
    from: place.from,
    validFor: /^[\w.-]*$/,
    options: found.map((offer, index) => ({
      label: offer.label, detail: offer.detail, info: offer.says === "" ? undefined : offer.says, apply: offer.text, boost: -index / 10,
    })),
  };
}

async function hover(state: EditorState, offset: number) {
  if (state.doc.length > MOST_CHARS) return null;
  const found = keyAt(state.doc.toString(), offset);
  if (found === null) return null;
  const schema = await playbookSchema().catch(() => null);
  const said = schema === null ? "" : hoverAt(schema, found.path, found.value);
  if (said === "") return null;
  return {
    pos: found.from,
    end: found.to,
    create: () => {
      const dom = document.createElement("p");
      dom.textContent = said;
      return { dom };
    },
  };
}
