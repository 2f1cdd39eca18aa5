import type { Graph, GraphEdge, GraphNode } from "../../graph/graph";
import type { FlowGraph, RouteFile } from "../../protocol/generated";
import { t } from "./words";

export interface RoutesGraph {
  readonly graph: Graph;
  /** What the file says of a node, by its id. */
  readonly about: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export const MESSAGE = "message";
const MOST = 500;

/** Gates in the order in which they are asked, the routes that they lead to, and the one for all that no gate holds. Pure. */
export function routesGraph(file: Pick<RouteFile, "routes" | "gates">): RoutesGraph {
  const about = new Map<string, Readonly<Record<string, unknown>>>();
  const nodes: GraphNode[] = [node(MESSAGE, t("messageKind"), t("message"), "")];
  const edges: GraphEdge[] = [];
  const kinds = new Map<string, string>();
  for (const route of file.routes.slice(0, MOST)) {
    const name = word(route.name);
    if (name === "" || kinds.has(name)) continue;
    kinds.set(name, word(route.kind));
    about.set(`route:${name}`, route);
    nodes.push(node(`route:${name}`, word(route.kind), name, word(route.agent) || word(route.require) || word(route.procedure)));
  }
  for (const [index, gate] of file.gates.slice(0, MOST).entries()) {
    const id = `gate:${index}`;
    about.set(id, { ...gate });
    nodes.push(node(id, t("gate"), gate.gate || String(index + 1), [...gate.any, ...gate.all].join(", ")));
    edges.push(edge(MESSAGE, id, String(index + 1), "plain"));
    if (kinds.has(gate.route)) edges.push(edge(id, `route:${gate.route}`, "", kinds.get(gate.route) === "incident" ? "failure" : "way"));
  }
  for (const [name, kind] of kinds) if (kind === "default") edges.push(edge(MESSAGE, `route:${name}`, t("otherwise"), "always"));
  return { graph: { nodes: about.size === 0 ? [] : nodes, edges }, about };
}

function node(id: string, kind: string, label: string, detail: string): GraphNode {
  return { id, kind, label, detail, within: null, group: false };
}

function edge(from: string, to: string, label: string, tone: GraphEdge["tone"]): GraphEdge {
  return { id: `${from}>${to}`, from, to, label, tone, said: true };
}

function word(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** What a part of a flow is called: an agent by its name, all others by what they do. */
function partName(kind: string, name: string): string {
  const said = name.replaceAll("_", " ");
  switch (kind) {
    case "begin":
      return t("partBegin");
    case "end":
      return t("partEnd");
    case "parallel":
      return name || t("partParallel");
    case "loop":
      return said === "" ? kind : t("partLoop", { name: said });
    case "if":
      return said === "" ? kind : t("partIf", { name: said });
    case "switch":
      return said === "" ? kind : t("partSwitch", { name: said });
    default:
      return name || kind;
  }
}

/** A flow as the daemon tells it. Arrows to what is not there are left out. Pure. */
export function flowGraph(told: Pick<FlowGraph, "nodes" | "edges">): Graph {
  const nodes = told.nodes.map((one) => node(one.id, one.kind, partName(one.kind, one.name), ""));
  const known = new Set(nodes.map((one) => one.id));
  const edges = told.edges
    .filter((one) => known.has(one.source) && known.has(one.target))
    .map((one): GraphEdge => ({
      id: `${one.source} ${one.says} ${one.target}`, from: one.source, to: one.target, label: one.says, tone: one.says === "" ? "plain" : "way", said: true,
    }));
  return { nodes, edges: [...new Map(edges.map((one) => [one.id, one])).values()] };
}

/** What a message was led to, in a sentence. */
export function tried(answer: { route: string; kind: string; gate: string }): string {
  if (answer.route === "") return t("tookNone");
  return answer.gate === "" ? t("tookDefault", { route: answer.route }) : t("took", answer);
}
