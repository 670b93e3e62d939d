import { Graph, layout } from '@dagrejs/dagre';
import type { Link, Part, Scope } from './hierarchy.ts';

/** A part and its position: its center, in pixels, in the scope in which it is laid out. */
export interface PlacedPart {
  readonly part: Part;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its content, if the part is expanded. */
  readonly inner: PlacedScope | null;
}

export interface PlacedScope {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly PlacedPart[];
  readonly links: readonly { readonly link: Link; readonly points: readonly { readonly x: number; readonly y: number }[] }[];
  /** Number of parts that are not drawn because there are too many. */
  readonly left: number;
}

const padding = { side: 16, top: 32, bottom: 16 } as const;
/** Maximum parts to lay out in one scope: more take too long and are unreadable. */
const maxParts = 300;

/** Lays out a scope and its expanded scopes, innermost first. */
export function layoutScope(scope: Scope, open: ReadonlySet<string>): PlacedScope {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'TB', nodesep: 16, ranksep: 32, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  const shown = [...scope.parts.values()].slice(0, maxParts);
  const inner = new Map<string, PlacedScope>();
  for (const part of shown) {
    const content = part.scope && open.has(part.path) ? layoutScope(part.scope, open) : null;
    if (content) inner.set(part.path, content);
    graph.setNode(part.path, content ? { width: Math.max(content.width, labelWidth(part)), height: content.height } : sizeOf(part));
  }
  for (const { from, to, back } of scope.links.values())
    if (graph.hasNode(from) && graph.hasNode(to)) {
      // The back edge of a loop points upward and would reverse the order
      if (back) graph.setEdge(to, from, {});
      else graph.setEdge(from, to, {});
    }
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  const shift = { x: padding.side, y: scope.path === '' ? padding.side : padding.top };
  const parts = shown.map((part): PlacedPart => {
    const { x, y, width, height } = graph.node(part.path) as { x: number; y: number; width: number; height: number };
    return { part, x: x + shift.x, y: y + shift.y, width, height, inner: inner.get(part.path) ?? null };
  });
  const links = [...scope.links.values()].flatMap((link) => {
    const edge = (link.back ? graph.edge(link.to, link.from) : graph.edge(link.from, link.to)) as
      { points?: { x: number; y: number }[] } | undefined;
    const points = edge?.points?.map(({ x, y }) => ({ x: x + shift.x, y: y + shift.y }));
    return points ? [{ link, points: link.back ? points.reverse() : points }] : [];
  });
  return {
    width: finite(size.width) + 2 * padding.side,
    height: finite(size.height) + shift.y + padding.bottom,
    parts,
    links,
    left: scope.parts.size - shown.length,
  };
}

/** dagre returns -Infinity for a graph without nodes. */
function finite(size: number | undefined): number {
  return size !== undefined && Number.isFinite(size) ? size : 0;
}

function labelWidth(part: Part): number {
  return Math.min(240, 32 + 7 * part.label.length);
}

function sizeOf(part: Part): { width: number; height: number } {
  if (part.role === 'switch' || part.role === 'merge') return { width: Math.max(72, labelWidth(part)), height: 40 };
  return { width: Math.max(56, labelWidth(part)), height: part.scope ? 32 : 24 };
}
