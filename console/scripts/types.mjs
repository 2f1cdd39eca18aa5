// Writes src/protocol/generated.ts: the types of everything that travels over `sulla.v1`, from the same document that every
// daemon serves at /asyncapi.json. The Python tests keep that document equal to the daemon's own models.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const DOCUMENT = new URL("../../docs/inside/asyncapi.json", import.meta.url);
const TARGET = new URL("../src/protocol/generated.ts", import.meta.url);
const HEAD = "// Made by scripts/types.mjs from docs/inside/asyncapi.json. Not kept in the repository.\n";

/** The schema's name as a TypeScript type: `event.INPUT` is `EventINPUT`. */
function typeName(name) {
  return name.replace(/(^|[._-])(\w)/g, (_, __, letter) => letter.toUpperCase()).replace(/_/g, "");
}

/** The same schema, with references within one flat `$defs` and without titles, by which the compiler would name types. */
function rewritten(value) {
  if (Array.isArray(value)) return value.map(rewritten);
  if (value === null || typeof value !== "object") return value;
  const { title, $ref, ...rest } = value;
  const out = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, rewritten(inner)]));
  if (typeof title === "object") out.title = rewritten(title); // a property that is called so
  if (rest.type === "object" && !rest.properties && rest.additionalProperties === undefined) out.additionalProperties = true;
  if (typeof $ref === "string") out.$ref = `#/$defs/${typeName($ref.split("/").at(-1))}`;
  return out;
}

const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
const { messages, schemas } = document.components;
const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [typeName(name), rewritten(schema)]));
// A JSON value refers to itself in a way that the compiler unrolls; `unknown` makes whoever reads it look at what it is.
definitions.JsonValue = { tsType: "unknown" };

const text = await compile({ $defs: definitions }, "Unused", {
  additionalProperties: false,
  bannerComment: HEAD,
  format: false,
  unreachableDefinitions: true,
  strictIndexSignatures: false,
  ignoreMinAndMaxItems: true,
});

const refName = (schema) => (schema?.$ref ? typeName(schema.$ref.split("/").at(-1)) : "unknown");
const methods = Object.keys(messages)
  .filter((name) => name.endsWith(".request"))
  .map((name) => name.slice(0, -".request".length));
const rows = methods.map((name) => {
  const params = refName(messages[`${name}.request`].payload.properties.params);
  const result = refName(messages[`${name}.result`].payload.properties.result);
  return `  ${JSON.stringify(name)}: { params: ${params === "unknown" ? "Record<string, never>" : params}; result: ${result} };`;
});
const events = Object.keys(messages)
  .filter((name) => name.startsWith("event."))
  .map((name) => `  ${name.slice("event.".length)}: ${typeName(name)};`);
await writeFile(
  TARGET,
  `${text}
/** Every method: what it is asked with and what it answers. */
export interface Methods {
${rows.join("\n")}
}

/** Every kind of event, by its \`type\`. */
export interface Events {
${events.join("\n")}
}
`,
);
