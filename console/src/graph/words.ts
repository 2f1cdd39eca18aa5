import { catalog } from "../text/catalog";

export const t = catalog("graph", {
  nearer: "Zoom in",
  farther: "Zoom out",
  whole: "Show all of it",
  follow: "Follow the step at work",
  node: "{label}, {kind}",
  nodeState: "{label}, {kind}, {word}",
  list: "Steps as a list",
  empty: "There are no steps yet.",
  nothingBut: "no kind",
});
