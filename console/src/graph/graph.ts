/** What a graph shows: boxes, boxes with boxes in them, and arrows between boxes of one list. */
export interface GraphNode {
  readonly id: string;
  /** Of what kind it is, in a word that is shown. */
  readonly kind: string;
  readonly label: string;
  /** A second line; empty for none. */
  readonly detail: string;
  /** The box that it is in; null for none. */
  readonly within: string | null;
  /** Whether it holds others. */
  readonly group: boolean;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly tone: "plain" | "way" | "failure" | "always";
  /** Whether the file says it, and does not leave it to the order of steps. */
  readonly said: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** What something is let go over. */
export type Over = { readonly node: string } | { readonly edge: GraphEdge };

/** How a node stands, by a colour and by a word. */
export interface NodeState {
  readonly tone: "plain" | "good" | "warn" | "bad" | "accent";
  readonly word: string;
  /** It has not come to that, but would. */
  readonly supposed?: boolean;
}

export interface Box {
  /** Within the box that it is in. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
