import { useMemo } from "react";
import type { Graph, NodeState, Over } from "../../../graph/graph";
import type { Rehearsed } from "../Rehearsal";
import { idOf, wouldStand } from "../run/states";
import type { CannotEdit, Spot } from "../text/edit";
import { SECTIONS, type Sketch } from "../text/outline";
import { needOf, sectionKey } from "../text/steps_graph";
import { t } from "../words";

/** The same graph as long as it says the same: it is laid out anew only when it has changed. */
export function useSame(graph: Graph): Graph {
  const said = useMemo(() => JSON.stringify(graph), [graph]);
  return useMemo(() => JSON.parse(said) as Graph, [said]);
}

/** Where a new step goes: into an arrow, behind the step that is marked, to the end of a marked branch or section, else to the end of all. */
export function spotOf(of: Sketch, over: Over): Spot {
  if ("edge" in over) return needOf(of, over.edge) ?? { after: over.edge.from };
  const key = over.node;
  if (of.steps.some((step) => step.key === key)) return { after: key };
  const section = SECTIONS.find((one) => sectionKey(one) === key);
  if (section !== undefined) return { list: section };
  return { list: key.startsWith("branch:") && of.lists.has(key.slice(7)) ? key.slice(7) : "steps" };
}

export function wayStates(rehearsed: Rehearsed, at: number): ReadonlyMap<string, NodeState> | undefined {
  if (rehearsed.what !== "dry") return undefined;
  const way = rehearsed.ways[at];
  return way === undefined
    ? undefined
    : new Map(way.steps.map((step) => [idOf(step.at), wouldStand(step.status, step.what)]));
}

export function cannot({ why, about }: CannotEdit): string {
  switch (why) {
    case "unreadable":
      return t("cannotUnreadable", { about });
    case "otherList":
      return t("cannotOtherList", { about });
    case "circle":
      return t("cannotCircle", { about });
    case "itself":
      return t("cannotItself");
    case "noStep":
      return t("cannotNoStep");
    case "noId":
      return t("cannotNoId");
    case "badId":
      return t("cannotBadId");
    case "taken":
      return t("cannotTaken", { about });
  }
}
