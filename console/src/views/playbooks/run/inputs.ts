/** An input that a playbook declares, as `workflow.list` tells it. */
export interface InputSpec {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "list" | "object";
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
  readonly choices: readonly unknown[];
}

/** What is wrong with what was written in a field: a word for the catalog. */
export type InputFault = "missing" | "number" | "integer" | "json" | "list" | "object";

const TYPES = new Set(["string", "number", "integer", "boolean", "list", "object"]);

export function inputSpecs(inputs: Readonly<Record<string, unknown>>): InputSpec[] {
  return Object.entries(inputs).map(([name, told]) => {
    const said = typeof told === "object" && told !== null ? (told as Record<string, unknown>) : {};
    const type = typeof said.type === "string" && TYPES.has(said.type) ? (said.type as InputSpec["type"]) : "string";
    return {
      name, type, required: said.required === true, default: said.default ?? null,
      description: typeof said.description === "string" ? said.description : "",
      choices: Array.isArray(said.choices) ? (said.choices as unknown[]) : [],
    };
  });
}

const FORM_TYPES: Readonly<Record<string, InputSpec["type"]>> = {
  string: "string", number: "number", integer: "integer", boolean: "boolean", array: "list", object: "object",
};

/** The fields of a form that is given as a JSON schema; null where it is none of named fields. Pure. */
export function formSpecs(form: Readonly<Record<string, unknown>> | null): InputSpec[] | null {
  const properties = form?.properties;
  if (form === null || typeof properties !== "object" || properties === null || Array.isArray(properties)) return null;
  const required = Array.isArray(form.required) ? (form.required as unknown[]) : [];
  const specs: InputSpec[] = [];
  for (const [name, told] of Object.entries(properties as Record<string, unknown>)) {
    const said = typeof told === "object" && told !== null ? (told as Record<string, unknown>) : {};
    const choices = Array.isArray(said.enum) ? (said.enum as unknown[]) : [];
    const type = typeof said.type === "string" ? FORM_TYPES[said.type] : choices.length > 0 ? "string" : undefined;
    if (type === undefined) return null;
    const description = typeof said.description === "string" ? said.description : "";
    specs.push({ name, type, required: required.includes(name), default: said.default ?? null, description, choices });
  }
  return specs.length === 0 ? null : specs;
}

/** Whether a key sends what was written: Ctrl-Enter, or Cmd-Enter. */
export function sends(event: { key: string; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}

/** What stands in a field at first. */
export function asWritten(spec: InputSpec, value: unknown = spec.default): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && spec.type === "string" ? value : typeof value === "string" ? value : JSON.stringify(value);
}

/** What fields say, as values of their types. What is left empty is left out, and the playbook's own default counts. */
export function readInputs(specs: readonly InputSpec[], written: ReadonlyMap<string, string>): { values: Record<string, unknown>; faults: Map<string, InputFault> } {
  const values: Record<string, unknown> = {};
  const faults = new Map<string, InputFault>();
  for (const spec of specs) {
    const text = written.get(spec.name) ?? "";
    if (text === "" || (spec.type !== "string" && text.trim() === "")) {
      if (spec.required) faults.set(spec.name, "missing");
      else if (spec.type === "string" && typeof spec.default === "string" && spec.default !== "" && written.has(spec.name)) values[spec.name] = "";
      continue;
    }
    const found = spec.choices.length > 0 ? { value: chosen(spec, text) } : readValue(spec.type, text);
    if ("fault" in found) faults.set(spec.name, found.fault);
    else values[spec.name] = found.value;
  }
  return { values, faults };
}

/** How a choice stands in the list of them. */
export function choiceText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function chosen(spec: InputSpec, text: string): unknown {
  return spec.choices.find((one) => choiceText(one) === text) ?? text;
}

function readValue(type: InputSpec["type"], text: string): { value: unknown } | { fault: InputFault } {
  switch (type) {
    case "string":
      return { value: text };
    case "boolean":
      return { value: text === "true" };
    case "number":
    case "integer": {
      const figure = Number(text.trim());
      if (!Number.isFinite(figure)) return { fault: "number" };
      return type === "integer" && !Number.isInteger(figure) ? { fault: "integer" } : { value: figure };
    }
    default: {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        return { fault: "json" };
      }
      if (type === "list") return Array.isArray(value) ? { value } : { fault: "list" };
      return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : { fault: "object" };
    }
  }
}
