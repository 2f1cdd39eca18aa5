import dagre from "@dagrejs/dagre";
import type { Box, Graph, GraphEdge, GraphNode } from "./graph";

const WIDTH = 208;
const HEIGHT = 56;
const HEAD = 40;
const PADDING = 16;
const BESIDE = 28;
const BELOW = 48;
/** From so many boxes in one list on, what follows from other arrows is not weighed, and ranks are found the fast way. */
const MANY = 150;
/** An arrow to the next row leads through so many places; one with more leads around something. */
const STRAIGHT = 3;
/** Boxes and bends that dagre orders in well under a second; what has more stands in plain rows. */
const MOST_WEIGHED = 900;

/**
 * Where each box stands. Every list of boxes is laid out by itself, from the innermost outwards, and stands in the list around
 * it as one box: a list of 500 costs what it costs, and loops in it cost only their own. Pure.
 */
export function layout(graph: Graph): Layout {
  const inside = new Map<string | null, GraphNode[]>();
  for (const node of graph.nodes) inside.set(node.within, [...(inside.get(node.within) ?? []), node]);
  const within = new Map(graph.nodes.map((node) => [node.id, node.within]));
  const edges = new Map<string | null, GraphEdge[]>();
  for (const edge of graph.edges) {
    const list = within.get(edge.from);
    if (list === undefined || list !== within.get(edge.to) || edge.from === edge.to) continue;
    const before = edges.get(list);
    if (before === undefined) edges.set(list, [edge]);
    else before.push(edge);
  }
  const boxes = new Map<string, Box>();
  const ways = new Map<string, readonly Place[]>();

  const place = (list: string | null): { width: number; height: number } => {
    const nodes = inside.get(list) ?? [];
    const sizes = new Map<string, Size>();
    for (const node of nodes) {
      const inner = node.group ? place(node.id) : null;
      sizes.set(node.id, {
        width: inner === null ? WIDTH : Math.max(WIDTH, inner.width + 2 * PADDING),
        height: inner === null ? HEIGHT : Math.max(HEIGHT, inner.height + HEAD + PADDING),
      });
    }
    let width = 0;
    let height = 0;
    const inset = list === null ? { x: 0, y: 0 } : { x: PADDING, y: HEAD };
    const { places, bends } = arranged(sizes, edges.get(list) ?? []);
    for (const [id, points] of bends) ways.set(id, points.map((point) => ({ x: point.x + inset.x, y: point.y + inset.y })));
    for (const [id, at] of places) {
      const size = sizes.get(id) ?? { width: WIDTH, height: HEIGHT };
      boxes.set(id, { ...size, x: at.x + inset.x, y: at.y + inset.y });
      width = Math.max(width, at.x + size.width);
      height = Math.max(height, at.y + size.height);
    }
    return { width, height };
  };
  place(null);
  return { boxes, ways };
}

export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  /** Of arrows that lead around boxes: the places that they lead through, within the box around both ends. */
  readonly ways: ReadonlyMap<string, readonly Place[]>;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

function arranged(sizes: ReadonlyMap<string, Size>, edges: readonly GraphEdge[]): { places: ReadonlyMap<string, Place>; bends: ReadonlyMap<string, readonly Place[]> } {
  const many = sizes.size > MANY;
  const ranks = many ? ranksOf(sizes, edges) : null;
  const weighed = ranks === null ? edges : edges.filter((edge) => (ranks.get(edge.to) ?? 0) > (ranks.get(edge.from) ?? 0));
  const kept = ranks === null ? weighed : reduced(weighed, ranks);
  if (ranks !== null) {
    const bends = kept.reduce((sum, edge) => sum + (ranks.get(edge.to) ?? 0) - (ranks.get(edge.from) ?? 0) - 1, 0);
    if (sizes.size + bends > MOST_WEIGHED) return { places: inRows(sizes, kept, ranks), bends: new Map() };
  }
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: BESIDE, ranksep: BELOW, ranker: many ? "longest-path" : "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, size] of sizes) graph.setNode(id, { ...size });
  for (const edge of kept) graph.setEdge(edge.from, edge.to);
  if (sizes.size > 0) dagre.layout(graph);
  const places = new Map<string, Place>();
  for (const id of sizes.keys()) {
    const at = graph.node(id) as Size & Place;
    places.set(id, { x: at.x - at.width / 2, y: at.y - at.height / 2 });
  }
  const bends = new Map<string, readonly Place[]>();
  for (const edge of kept) {
    const { points } = graph.edge(edge.from, edge.to) as { points: Place[] };
    if (points.length > STRAIGHT) bends.set(edge.id, points);
  }
  return { places, bends };
}

/** How many boxes come before each at the most, on any way; arrows that close a circle do not count. */
function ranksOf(sizes: ReadonlyMap<string, Size>, edges: readonly GraphEdge[]): Map<string, number> {
  const before = new Map<string, string[]>([...sizes.keys()].map((id) => [id, []]));
  for (const edge of edges) before.get(edge.to)?.push(edge.from);
  const ranks = new Map<string, number>();
  const open = new Set<string>();
  for (const first of sizes.keys()) {
    const stack = [first];
    while (stack.length > 0) {
      const id = stack[stack.length - 1] ?? "";
      if (ranks.has(id)) {
        stack.pop();
        continue;
      }
      const wanted = open.has(id) ? [] : (before.get(id) ?? []).filter((one) => !ranks.has(one) && !open.has(one));
      open.add(id);
      if (wanted.length > 0) {
        stack.push(...wanted);
        continue;
      }
      stack.pop();
      open.delete(id);
      ranks.set(id, Math.max(0, ...(before.get(id) ?? []).map((one) => (ranks.get(one) ?? -1) + 1)));
    }
  }
  return ranks;
}

/**
 * Arrows without those that others lead to the same box by a longer way. They may close no circle. What is reached from a box is
 * a bit for each box: of 500 in a chain a set of names for each would hold 125,000 names.
 */
function reduced(edges: readonly GraphEdge[], ranks: ReadonlyMap<string, number>): GraphEdge[] {
  const next = new Map<string, Set<string>>();
  for (const edge of edges) next.set(edge.from, (next.get(edge.from) ?? new Set()).add(edge.to));
  const numbers = new Map([...ranks.keys()].map((id, number) => [id, number]));
  const reach = new Map<string, Uint32Array>();
  const has = (id: string, number: number): boolean => (((reach.get(id)?.[number >> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  // Each behind all that it leads to.
  const backwards = [...next.keys()].sort((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
  for (const id of backwards) {
    const all = new Uint32Array((numbers.size + 31) >> 5);
    for (const one of next.get(id) ?? []) {
      const number = numbers.get(one) ?? 0;
      all[number >> 5] = (all[number >> 5] ?? 0) | (1 << (number & 31));
      for (const [at, further] of (reach.get(one) ?? []).entries()) all[at] = (all[at] ?? 0) | further;
    }
    reach.set(id, all);
  }
  return edges.filter((edge) => {
    const number = numbers.get(edge.to) ?? 0;
    return ![...(next.get(edge.from) ?? [])].some((one) => one !== edge.to && has(one, number));
  });
}

/** Boxes in rows, by how many come before them; within a row each stands near what leads to it. */
function inRows(sizes: ReadonlyMap<string, Size>, edges: readonly GraphEdge[], ranks: ReadonlyMap<string, number>): Map<string, Place> {
  const rows: string[][] = [];
  for (const id of sizes.keys()) (rows[ranks.get(id) ?? 0] ??= []).push(id);
  const before = new Map<string, string[]>();
  for (const edge of edges) before.set(edge.to, [...(before.get(edge.to) ?? []), edge.from]);
  const places = new Map<string, Place>();
  const middle = (id: string): number => (places.get(id)?.x ?? 0) + (sizes.get(id)?.width ?? 0) / 2;
  let y = 0;
  let most = 0;
  for (const row of rows) {
    const wanted = new Map(row.map((id) => [id, mean((before.get(id) ?? []).map(middle))]));
    row.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0));
    let x = 0;
    let height = 0;
    for (const id of row) {
      const size = sizes.get(id) ?? { width: WIDTH, height: HEIGHT };
      places.set(id, { x, y });
      x += size.width + BESIDE;
      height = Math.max(height, size.height);
    }
    most = Math.max(most, x - BESIDE);
    y += height + BELOW;
  }
  for (const row of rows) {
    const last = row[row.length - 1] ?? "";
    const shift = (most - (places.get(last)?.x ?? 0) - (sizes.get(last)?.width ?? 0)) / 2;
    for (const id of row) {
      const at = places.get(id);
      if (at !== undefined) places.set(id, { x: at.x + shift, y: at.y });
    }
  }
  return places;
}

function mean(figures: readonly number[]): number {
  return figures.length === 0 ? 0 : figures.reduce((sum, one) => sum + one, 0) / figures.length;
}
