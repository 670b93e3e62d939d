import { type KeyboardEvent, memo, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import { type Painter, painterOf } from './graph-colors.ts';
import type { GraphColor } from './graph-choice.ts';
import type { Part } from './hierarchy.ts';
import { layoutScope, type PlacedPart, type PlacedScope } from './layout.ts';
import type { LoadedGraph } from './load-graph.ts';
import { type Place, useFingers, useWheel } from './moving.ts';
import type { OpCost } from './run-metadata.ts';

interface GraphDrawingProps {
  readonly graph: LoadedGraph;
  readonly open: ReadonlySet<string>;
  readonly color: GraphColor;
  readonly costs: ReadonlyMap<string, OpCost>;
  readonly selected: string | null;
  readonly onSelect: (name: string | null) => void;
  readonly onToggle: (path: string) => void;
}

/** The graph as a drawing that readers can pan and zoom. */
export function GraphDrawing({ graph, open, color, costs, selected, onSelect, onToggle }: GraphDrawingProps) {
  const drawing = useMemo(() => layoutScope(graph.root, open), [graph, open]);
  const paint = useMemo(() => painterOf(color, graph, costs), [color, graph, costs]);
  const canvas = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<Place>({ x: 0, y: 0, scale: 1 });
  useLayoutEffect(() => {
    const { width, height } = canvas.current!.getBoundingClientRect();
    const scale = Math.min(1, width / drawing.width, height / drawing.height);
    const readable = Math.max(scale, 0.4);
    setAt({ scale: readable, x: Math.max(0, (width - drawing.width * readable) / 2), y: 0 });
    // oxlint-disable-next-line react/exhaustive-deps -- expanding a scope changes the size, and does not move the rest
  }, [graph]);
  useWheel(canvas, setAt);
  const fingers = useFingers(canvas, setAt);
  const latest = useRef({ selected, onSelect, onToggle });
  latest.current = { selected, onSelect, onToggle };
  // A stable function, so that the content is not rendered again while the drawing moves
  const act = useCallback((part: Part): void => {
    const now = latest.current;
    if (part.scope) now.onToggle(part.path);
    else now.onSelect(part.path === now.selected ? null : part.path);
  }, []);
  return (
    <svg
      ref={canvas}
      className="graph-canvas"
      role="group"
      aria-label={`Graph of ${countText(graph.nodes.size, 'operation')}`}
      {...fingers}
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse">
          <path d="M0 0.5L8 4L0 7.5z" className="arrow" />
        </marker>
      </defs>
      <g transform={`translate(${at.x} ${at.y}) scale(${at.scale})`}>
        <ScopeContent scope={drawing} paint={paint} selected={selected} onAct={act} />
      </g>
    </svg>
  );
}

interface ContentProps {
  readonly scope: PlacedScope;
  readonly paint: Painter;
  readonly selected: string | null;
  readonly onAct: (part: Part) => void;
}

const ScopeContent = memo(function ScopeContent({ scope, paint, selected, onAct }: ContentProps) {
  return (
    <>
      {scope.links.map(({ link, points }) => (
        <g key={`${link.from}\0${link.to}`}>
          <path
            className={`edge${link.control ? ' control' : ''}${link.back ? ' back' : ''}`}
            d={curve(points)}
            strokeWidth={Math.min(4, 1 + Math.log2(link.count) / 2)}
            markerEnd="url(#arrow)"
          />
          {link.count > 1 && (
            <text className="edge-count" x={points[Math.floor(points.length / 2)]!.x + 4} y={points[Math.floor(points.length / 2)]!.y}>
              {formatCount(link.count)}
            </text>
          )}
        </g>
      ))}
      {scope.parts.map((placed) => (
        <PartBox key={placed.part.path} placed={placed} paint={paint} selected={selected} onAct={onAct} />
      ))}
      {scope.left > 0 && (
        <text className="dim" x={16} y={scope.height - 4}>
          and {formatCount(scope.left)} more; use the search to find them
        </text>
      )}
    </>
  );
});

function PartBox({ placed, paint, selected, onAct }: Omit<ContentProps, 'scope'> & { readonly placed: PlacedPart }) {
  const { part, x, y, width, height, inner } = placed;
  const [left, top] = [x - width / 2, y - height / 2];
  const onKey = (event: KeyboardEvent): void => {
    if ((event.key !== 'Enter' && event.key !== ' ') || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onAct(part);
  };
  const kind = part.scope ? `scope${part.scope.loop ? ' loop' : ''}` : part.role;
  const about = part.scope ? countText(part.scope.operations, 'operation') : visibleText(part.node!.op);
  return (
    <g className={`part ${kind} ${paint(part)}${selected === part.path ? ' selected' : ''}`} transform={`translate(${left} ${top})`}>
      <g
        role="button"
        tabIndex={0}
        aria-label={`${visibleText(part.label)}, ${about}`}
        aria-expanded={part.scope ? inner !== null : undefined}
        onClick={() => onAct(part)}
        onKeyDown={onKey}
      >
        <title>{`${visibleText(part.path)}: ${about}`}</title>
        <path className="shape" d={shapeOf(part, width, height)} />
        <text x={inner ? 12 : width / 2} y={inner ? 20 : height / 2 + 4} textAnchor={inner ? 'start' : 'middle'}>
          {short(visibleText(part.label), (width - 16) / 6.6)}
          {part.scope && <tspan className="dim"> {formatCount(part.scope.operations)}</tspan>}
        </text>
      </g>
      {inner && <ScopeContent scope={inner} paint={paint} selected={selected} onAct={onAct} />}
    </g>
  );
}

/** Shapes for operation kinds: drums for state, a diamond for branches, a funnel for merges. */
function shapeOf({ role, scope }: Part, width: number, height: number): string {
  if (scope) return box(width, height, 6);
  if (role === 'state') {
    const tall = height - 6;
    return `M0 3a${width / 2} 3 0 0 1 ${width} 0v${tall}a${width / 2} 3 0 0 1 ${-width} 0zM0 3a${width / 2} 3 0 0 0 ${width} 0`;
  }
  if (role === 'switch') return `M${width / 2} 0l${width / 2} ${height / 2}l${-width / 2} ${height / 2}l${-width / 2} ${-height / 2}z`;
  if (role === 'merge') return `M0 0h${width}l${-width / 4} ${height}h${-width / 2}z`;
  if (role === 'enter') return `M0 0h${width - 8}l8 ${height / 2}l-8 ${height / 2}H0z`;
  if (role === 'exit') return `M8 0h${width - 8}v${height}H8l-8 ${-height / 2}z`;
  return box(width, height, role === 'constant' || role === 'input' ? height / 2 : 3);
}

function box(width: number, height: number, r: number): string {
  return `M${r} 0h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - width}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - height}a${r} ${r} 0 0 1 ${r} ${-r}z`;
}

/** The path of a curve. It passes through the midpoints between layout points, to avoid corners. */
function curve(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  let d = `M${n(first.x)} ${n(first.y)}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const [a, b] = [rest[i]!, rest[i + 1]!];
    const end = i === rest.length - 2 ? b : { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    d += `Q${n(a.x)} ${n(a.y)} ${n(end.x)} ${n(end.y)}`;
  }
  return rest.length === 1 ? `${d}L${n(last.x)} ${n(last.y)}` : d;
}

function n(value: number): number {
  return Math.round(value * 10) / 10;
}

function short(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, Math.max(1, Math.floor(max) - 1))}…`;
}
