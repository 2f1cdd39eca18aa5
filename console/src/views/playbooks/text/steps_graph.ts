import type { Graph, GraphEdge, GraphNode } from "../../../graph/graph";
import { t } from "../words";
import { needText, SECTIONS, type Need, type Sketch } from "./outline";

/** So many arrows lead at the most to what is done when the playbook has failed, or at its end. */
const MOST_ENDS = 3;

/** Group of a section that is no step: `on_error`, `finally`. */
export function sectionKey(section: string): string {
  return `section:${section}`;
}

/** The arrow of a need. */
function arrowOf(from: string, need: Need, to: string): string {
  return `${from} ${need.way} ${need.how} ${to}`;
}

/** What an arrow says that a step needs; null for one that leads to a section. Pure. */
export function needOf(of: Sketch, edge: GraphEdge): { readonly before: string; readonly need: string } | null {
  const from = of.steps.find((one) => one.key === edge.from);
  const step = of.steps.find((one) => one.key === edge.to);
  const need = step?.needs.find((one) => one.id === from?.id && arrowOf(edge.from, one, edge.to) === edge.id);
  return need === undefined ? null : { before: edge.to, need: needText(need) };
}

/** The graph of a playbook's steps. Pure. */
export function stepsGraph(of: Sketch): Graph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const boxOfList = new Map<string, string | null>([["steps", null]]);
  for (const section of SECTIONS.slice(1)) {
    if ((of.lists.get(section)?.keys.length ?? 0) === 0) continue;
    const label = section === "on_error" ? t("onError") : t("finally");
    nodes.push({ id: sectionKey(section), kind: section, label, detail: "", within: null, group: true });
    boxOfList.set(section, sectionKey(section));
  }
  const keyOfId = new Map<string, string>();
  for (const step of of.steps) if (step.id !== "" && !keyOfId.has(step.id)) keyOfId.set(step.id, step.key);
  const listOfKey = new Map(of.steps.map((step) => [step.key, step.list]));
  for (const step of of.steps) {
    nodes.push({
      id: step.key,
      kind: step.kind,
      label: step.title || step.id || t("noId"),
      detail: step.detail,
      within: boxOfList.get(step.list) ?? null,
      group: step.lists.length > 0,
    });
    for (const name of step.lists) {
      const list = of.lists.get(name);
      if (step.kind !== "parallel") {
        boxOfList.set(name, step.key);
        continue;
      }
      nodes.push({ id: `branch:${name}`, kind: "branch", label: list?.branch ?? "", detail: "", within: step.key, group: true });
      boxOfList.set(name, `branch:${name}`);
    }
    for (const need of step.needs) {
      const from = keyOfId.get(need.id);
      if (from === undefined || from === step.key || listOfKey.get(from) !== step.list) continue;
      const label = [need.way, need.how === "failure" ? t("onFailure") : need.how === "always" ? t("always") : ""].filter(Boolean).join(", ");
      const tone = need.how === "success" ? (need.way === "" ? "plain" : "way") : need.how;
      edges.push({ id: arrowOf(from, need, step.key), from, to: step.key, label, tone, said: need.said });
    }
  }
  const main = of.lists.get("steps")?.keys ?? [];
  const begins = new Set(edges.map((edge) => edge.from));
  const ends = main.filter((key) => !begins.has(key)).slice(-MOST_ENDS);
  let last = ends;
  for (const section of SECTIONS.slice(1)) {
    const to = sectionKey(section);
    if (!boxOfList.has(section)) continue;
    const tone = section === "on_error" ? "failure" : "always";
    for (const from of last) edges.push({ id: `${from} ${to}`, from, to, label: "", tone, said: true });
    last = [to];
  }
  return { nodes, edges: unique(edges) };
}

function unique(edges: readonly GraphEdge[]): GraphEdge[] {
  return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
}
