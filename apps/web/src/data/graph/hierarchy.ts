import { type OpNode, type Role, roleOf } from './op-node.ts';

/** A part of the graph: an operation, or a scope that contains operations. */
export interface Part {
  /** Unique; the path of a scope ends with a slash. */
  readonly path: string;
  readonly label: string;
  readonly scope: Scope | null;
  readonly node: OpNode | null;
  readonly role: Role;
}

/** The content of a scope: its parts, and the links between them. */
export interface Scope {
  readonly path: string;
  readonly parts: Map<string, Part>;
  readonly links: Map<string, Link>;
  /** Number of operations in the scope, at any depth. */
  operations: number;
  /** Whether the scope contains a loop (has Enter operations). */
  loop: boolean;
}

/** All data flow between two parts of a scope, as one link. */
export interface Link {
  readonly from: string;
  readonly to: string;
  count: number;
  /** Whether the link carries only order, no data. */
  control: boolean;
  /** Whether the link leads from one iteration of a loop to the next. */
  back: boolean;
}

/**
 * Builds scopes from names: `a/b/c` is the operation c in scope b, which is in scope a. An
 * operation with the same name as a scope is placed inside that scope, in brackets.
 */
export function buildHierarchy(nodes: readonly OpNode[]): Scope {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const scopes = new Set<string>();
  for (const { name } of nodes) for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) scopes.add(name.slice(0, at));
  const root: Scope = makeScope('');
  const chains = new Map<string, string[]>();
  for (const node of byName.values()) chains.set(node.name, place(root, node, scopes));
  for (const node of byName.values())
    for (const input of node.inputs) {
      const from = chains.get(input.name);
      if (from) link(root, from, chains.get(node.name)!, input.control, byName.get(input.name)!.op.endsWith('NextIteration'));
    }
  return root;
}

/**
 * The paths of the scopes that contain an operation, outermost first. If a scope has the
 * operation's name, it is included.
 */
export function scopesAbove(root: Scope, name: string): string[] {
  const paths: string[] = [];
  const names = name.split('/');
  let scope: Scope | null = root;
  for (let i = 1; scope && i <= names.length; i++) {
    const path = `${names.slice(0, i).join('/')}/`;
    scope = scope.parts.get(path)?.scope ?? null;
    if (scope) paths.push(path);
  }
  return paths;
}

/**
 * Adds an operation to its scopes. Returns the paths of the scopes, outermost first, then the
 * operation's own path.
 */
function place(root: Scope, node: OpNode, scopes: ReadonlySet<string>): string[] {
  const isScope = scopes.has(node.name);
  const names = node.name.split('/');
  const chain: string[] = [];
  const role = roleOf(node.op);
  let scope = root;
  const enter = (one: Scope): void => {
    one.operations++;
    if (role === 'enter' || role === 'next') one.loop = true;
  };
  enter(root);
  const last = isScope ? names.length : names.length - 1;
  for (let i = 0; i < last; i++) {
    const path = `${names.slice(0, i + 1).join('/')}/`;
    let part = scope.parts.get(path);
    if (!part) {
      part = { path, label: names[i]!, scope: makeScope(path), node: null, role: 'plain' };
      scope.parts.set(path, part);
    }
    scope = part.scope!;
    enter(scope);
    chain.push(path);
  }
  const label = isScope ? `(${names.at(-1)!})` : names.at(-1)!;
  scope.parts.set(node.name, { path: node.name, label, scope: null, node, role });
  return [...chain, node.name];
}

/** Adds a link in the scope where the paths to its two ends diverge. */
function link(root: Scope, from: readonly string[], to: readonly string[], control: boolean, back: boolean): void {
  let scope = root;
  let depth = 0;
  while (from[depth] === to[depth] && from[depth] !== undefined) {
    const inner = scope.parts.get(from[depth]!)?.scope;
    if (!inner) return; // to itself
    scope = inner;
    depth++;
  }
  const [start, end] = [from[depth], to[depth]];
  if (start === undefined || end === undefined) return;
  const key = `${start}\0${end}`;
  const known = scope.links.get(key);
  if (known) {
    known.count++;
    known.control &&= control;
    known.back &&= back;
  } else scope.links.set(key, { from: start, to: end, count: 1, control, back });
}

function makeScope(path: string): Scope {
  return { path, parts: new Map(), links: new Map(), operations: 0, loop: false };
}
