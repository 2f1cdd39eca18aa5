import { parse } from "yaml";
import type { Graph, GraphEdge, GraphNode } from "../../graph/graph";
import { t } from "./words";

export interface RoutesGraph {
  readonly graph: Graph;
  /** What the file says of a node, by its id. */
  readonly about: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export const MESSAGE = "message";
const MOST = 500;

/**
 * Gates in the order in which they are asked, and the routes that they lead to; null where the text cannot be read. Gates of incidents are asked
 * first, as docs/routes.md has it. Pure.
 */
export function routesGraph(text: string): RoutesGraph | null {
  let file: unknown;
  try {
    file = parse(text, { maxAliasCount: 0, logLevel: "error" }) as unknown;
  } catch {
    return null;
  }
  const routes = asMap(asMap(file).routes);
  const said = asMap(file).gates;
  const gates = (Array.isArray(said) ? (said as unknown[]) : []).map(asMap).slice(0, MOST);
  const kindOf = (route: unknown): string => word(asMap(routes[word(route)]).kind);
  const ordered = [...gates.filter((gate) => kindOf(gate.route) === "incident"), ...gates.filter((gate) => kindOf(gate.route) !== "incident")];
  const about = new Map<string, Readonly<Record<string, unknown>>>();
  const nodes: GraphNode[] = [node(MESSAGE, t("messageKind"), t("message"), "")];
  const edges: GraphEdge[] = [];
  for (const [name, told] of Object.entries(routes).slice(0, MOST)) {
    const route = asMap(told);
    about.set(`route:${name}`, route);
    nodes.push(node(`route:${name}`, word(route.kind), name, word(route.agent) || word(route.require) || word(route.procedure)));
  }
  for (const [index, gate] of ordered.entries()) {
    const id = `gate:${index}`;
    about.set(id, gate);
    nodes.push(node(id, t("gate"), word(gate.name) || String(index + 1), [gate.any, gate.all].flat().filter((one) => typeof one === "string").join(", ")));
    edges.push(edge(MESSAGE, id, String(index + 1), "plain"));
    if (about.has(`route:${word(gate.route)}`)) edges.push(edge(id, `route:${word(gate.route)}`, "", kindOf(gate.route) === "incident" ? "failure" : "way"));
  }
  const rest = Object.entries(routes).find(([, told]) => word(asMap(told).kind) === "default")?.[0];
  if (rest !== undefined && about.has(`route:${rest}`)) edges.push(edge(MESSAGE, `route:${rest}`, t("otherwise"), "always"));
  return { graph: { nodes: about.size === 0 ? [] : nodes, edges }, about };
}

function node(id: string, kind: string, label: string, detail: string): GraphNode {
  return { id, kind, label, detail, within: null, group: false };
}

function edge(from: string, to: string, label: string, tone: GraphEdge["tone"]): GraphEdge {
  return { id: `${from}>${to}`, from, to, label, tone, said: true };
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function word(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A flow as the daemon tells it. Its answer may name what is not there: such arrows are left out. */
export function flowGraph(told: { nodes: readonly { id: string; kind: string; label: string }[]; edges: readonly { from: string; to: string; label: string }[] }): Graph {
  const nodes = told.nodes.map((one) => node(one.id, one.kind, one.label || one.id, ""));
  const known = new Set(nodes.map((one) => one.id));
  const edges = told.edges
    .filter((one) => known.has(one.from) && known.has(one.to))
    .map((one): GraphEdge => ({ id: `${one.from} ${one.label} ${one.to}`, from: one.from, to: one.to, label: one.label, tone: one.label === "" ? "plain" : "way", said: true }));
  return { nodes, edges: [...new Map(edges.map((one) => [one.id, one])).values()] };
}

/** What a message was led to, in a sentence. */
export function tried(answer: { route: string; kind: string; gate: string }): string {
  if (answer.route === "") return t("tookNone");
  return answer.gate === "" ? t("tookDefault", { route: answer.route }) : t("took", answer);
}
