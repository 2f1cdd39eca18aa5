/**
 * What a JSON Schema says of a place in a value: which keys may stand there, which values, and what they are for. It reads what
 * our own schema is made of: `$ref`, `anyOf`, `oneOf`, `allOf`, `if`/`then`/`else`, `properties`, `items`. Pure.
 */
export type Schema = Readonly<Record<string, unknown>>;

export interface KeyOffer {
  readonly key: string;
  readonly says: string;
  readonly required: boolean;
  /** What its value is, in a word: `text`, `list`, … */
  readonly takes: string;
}

export interface ValueOffer {
  readonly value: string;
  readonly says: string;
}

const MOST_DEPTH = 40;

/** All schemas that a value at a path has to meet, or may meet. The value is what the whole text says so far. */
export function schemasAt(root: Schema, path: readonly (string | number)[], value: unknown): Schema[] {
  let at = parts(root, root, value);
  let held: unknown = value;
  for (const key of path) {
    held = typeof held === "object" && held !== null ? (held as Record<string | number, unknown>)[key] : undefined;
    const next = at.flatMap((schema) => child(schema, key));
    at = next.flatMap((schema) => parts(root, schema, held));
  }
  return at;
}

/** The keys that a map at a path may have, those that it has already left out. */
export function keysAt(root: Schema, path: readonly (string | number)[], value: unknown, there: readonly string[] = []): KeyOffer[] {
  const found = new Map<string, KeyOffer>();
  for (const schema of schemasAt(root, path, value)) {
    const required = asList(schema.required);
    for (const [key, inner] of Object.entries(asObject(schema.properties))) {
      if (there.includes(key) || found.has(key)) continue;
      found.set(key, { key, says: says(root, asObject(inner)), required: required.includes(key), takes: takes(root, asObject(inner)) });
    }
  }
  return [...found.values()].sort((one, other) => Number(other.required) - Number(one.required));
}

/** The values that the schema names for a place. */
export function valuesAt(root: Schema, path: readonly (string | number)[], value: unknown): ValueOffer[] {
  const found = new Map<string, ValueOffer>();
  for (const schema of schemasAt(root, path, value)) {
    const values = "const" in schema ? [schema.const] : asList(schema.enum);
    const types = asList(schema.type, schema.type);
    for (const one of [...values, ...(types.includes("boolean") ? [true, false] : [])]) {
      if (one === null) continue;
      const text = wordOf(one);
      if (!found.has(text)) found.set(text, { value: text, says: textOf(schema.description) });
    }
  }
  return [...found.values()];
}

/** What a key at a path is for; empty where the schema says nothing. */
export function hoverAt(root: Schema, path: readonly (string | number)[], value: unknown): string {
  const key = path[path.length - 1];
  if (typeof key !== "string") return "";
  for (const schema of schemasAt(root, path.slice(0, -1), value)) {
    const inner = asObject(schema.properties)[key];
    if (inner === undefined) continue;
    const said = says(root, asObject(inner));
    if (said !== "") return said;
  }
  return "";
}

// ---------------------------------------------------------------------------------------------------------------- inside

/** A schema and all that stand within it for the same value. */
function parts(root: Schema, schema: Schema, value: unknown, depth = 0): Schema[] {
  if (depth > MOST_DEPTH) return [];
  const found: Schema[] = [schema];
  const also = (inner: unknown): void => void found.push(...parts(root, asObject(inner), value, depth + 1));
  if (typeof schema.$ref === "string") also(resolved(root, schema.$ref));
  for (const inner of asList(schema.allOf)) also(inner);
  if (schema.if !== undefined) {
    const holds = meets(root, asObject(schema.if), value);
    if (holds !== "no") also(schema.then);
    else if (schema.else !== undefined) also(schema.else);
  }
  for (const name of ["anyOf", "oneOf"]) {
    for (const inner of asList(schema[name])) if (fits(root, asObject(inner), value, depth)) also(inner);
  }
  return found;
}

/** Whether a value may still become one that the schema takes: its type fits, and no key of it is a stranger. */
function fits(root: Schema, schema: Schema, value: unknown, depth: number): boolean {
  if (value === undefined || value === null) return true;
  if (typeof schema.$ref === "string" && depth < MOST_DEPTH) return fits(root, resolved(root, schema.$ref), value, depth + 1);
  const types = asList(schema.type, schema.type);
  const type = Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value;
  if (types.length > 0 && !types.includes(type) && !(type === "number" && types.includes("integer"))) return false;
  if (type !== "object") return true;
  if (schema.additionalProperties !== false || schema.properties === undefined) return true;
  return Object.keys(value).every((key) => key in asObject(schema.properties));
}

/** `maybe`: nothing that the condition asks for is decided yet. */
function meets(root: Schema, schema: Schema, value: unknown): "yes" | "no" | "maybe" {
  const map = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  const required = asList(schema.required);
  if (required.some((key) => !(String(key) in map))) return decided(root, value) ? "no" : "maybe";
  if (schema.not !== undefined && meets(root, asObject(schema.not), value) === "yes") return "no";
  for (const [key, inner] of Object.entries(asObject(schema.properties))) {
    if (key in map && "const" in asObject(inner) && asObject(inner).const !== map[key]) return "no";
  }
  return "yes";
}

/** Whether a map has one of the keys by which our schema tells kinds of steps apart. */
function decided(root: Schema, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const kinds = kindKeys(root);
  return Object.keys(value).some((key) => kinds.has(key));
}

const kindsOf = new WeakMap<Schema, Set<string>>();

function kindKeys(root: Schema): Set<string> {
  const known = kindsOf.get(root);
  if (known !== undefined) return known;
  const found = new Set<string>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > MOST_DEPTH) return;
    const schema = value as Schema;
    if (schema.if !== undefined) for (const key of asList(asObject(schema.if).required)) found.add(String(key));
    for (const inner of Object.values(schema)) walk(inner, depth + 1);
  };
  walk(root, 0);
  kindsOf.set(root, found);
  return found;
}

function child(schema: Schema, key: string | number): Schema[] {
  if (typeof key === "number") return schema.items === undefined ? [] : [asObject(schema.items)];
  const properties = asObject(schema.properties);
  if (key in properties) return [asObject(properties[key])];
  for (const [pattern, inner] of Object.entries(asObject(schema.patternProperties))) if (new RegExp(pattern).test(key)) return [asObject(inner)];
  return typeof schema.additionalProperties === "object" ? [asObject(schema.additionalProperties)] : [];
}

function resolved(root: Schema, ref: string): Schema {
  if (!ref.startsWith("#")) return {};
  let at: unknown = root;
  for (const part of ref.slice(1).split("/").filter(Boolean)) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[part.replace(/~1/g, "/").replace(/~0/g, "~")] : undefined;
  }
  return asObject(at);
}

function says(root: Schema, schema: Schema): string {
  if (typeof schema.description === "string") return schema.description;
  return typeof schema.$ref === "string" ? textOf(resolved(root, schema.$ref).description) : "";
}

const WORDS: Readonly<Record<string, string>> = { string: "text", array: "list", object: "map", boolean: "true or false", integer: "whole number", number: "number" };

function takes(root: Schema, schema: Schema, depth = 0): string {
  if (depth > 4) return "";
  if (schema.enum !== undefined) return asList(schema.enum).filter((one) => one !== null).map(wordOf).join(" | ");
  const types = asList(schema.type, schema.type).map(String);
  if (types.includes("string")) return WORDS.string ?? "";
  if (types.length > 0) return types.filter((one) => one !== "null").map((one) => WORDS[one] ?? one).join(" | ");
  if (typeof schema.$ref === "string") return takes(root, resolved(root, schema.$ref), depth + 1);
  return [...new Set(asList(schema.anyOf).map((one) => takes(root, asObject(one), depth + 1)).filter((one) => one !== ""))].slice(0, 3).join(" | ");
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown, alone?: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : typeof alone === "string" ? [alone] : [];
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
