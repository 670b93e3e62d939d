import type { GraphColor } from './graph-choice.ts';
import type { Part, Scope } from './hierarchy.ts';
import type { LoadedGraph } from './load-graph.ts';
import type { OpCost } from './run-metadata.ts';

/** The palette index for a name, the same everywhere. */
export function colorIndex(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 1_000_003;
  return sum % 10;
}

/** The fill of a part, as classes of the style sheet. */
export type Painter = (part: Part) => string;

/**
 * Fills parts by the selected property. A scope is filled by its content: the device if all its
 * operations are on the same device, or the sum of their costs.
 */
export function painterOf(color: GraphColor, graph: LoadedGraph, costs: ReadonlyMap<string, OpCost>): Painter {
  if (color === 'role') return () => '';
  if (color === 'device') {
    const device = (name: string): string => costs.get(name)?.device ?? graph.nodes.get(name)?.device ?? '';
    return (part) => {
      const devices = new Set(namesIn(part).map(device));
      const [only] = devices;
      return devices.size === 1 && only !== undefined && only !== '' ? `filled c${colorIndex(only)}` : '';
    };
  }
  const cost = (name: string): number => (color === 'time' ? costs.get(name)?.microseconds : costs.get(name)?.bytes) ?? 0;
  const total = (part: Part): number => namesIn(part).reduce((sum, name) => sum + cost(name), 0);
  // The cost of a scope is the sum of its content, so the part with the largest cost is always at
  // the top level
  let largest = 1;
  for (const part of graph.root.parts.values()) largest = Math.max(largest, total(part));
  return (part) => {
    const share = total(part) / largest;
    return share <= 0 ? '' : `heat t${Math.min(9, Math.floor(share * 10))}`;
  };
}

const remembered = new WeakMap<Scope, string[]>();

/** The names of all operations in a part. */
function namesIn({ node, scope }: Part): string[] {
  if (node) return [node.name];
  let names = remembered.get(scope!);
  if (!names) {
    names = [...scope!.parts.values()].flatMap(namesIn);
    remembered.set(scope!, names);
  }
  return names;
}
