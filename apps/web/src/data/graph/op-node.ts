/** An operation of a graph, or a layer of a model. */
export interface OpNode {
  readonly name: string;
  readonly op: string;
  readonly inputs: readonly OpInput[];
  /** Empty if the operation is not placed. */
  readonly device: string;
  /** Short strings by name. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface OpInput {
  readonly name: string;
  /** Whether this is a control dependency, without data. */
  readonly control: boolean;
}

/** The role of an operation for readers of the graph. */
export type Role = 'state' | 'switch' | 'merge' | 'enter' | 'exit' | 'next' | 'loop' | 'branch' | 'call' | 'constant' | 'input' | 'plain';

const roles: readonly (readonly [RegExp, Role])[] = [
  [/^(Ref)?Switch(N)?$/, 'switch'],
  [/^(Ref)?Merge$/, 'merge'],
  [/^(Ref)?Enter$/, 'enter'],
  [/^(Ref)?Exit$/, 'exit'],
  [/^(Ref)?NextIteration$/, 'next'],
  [/^(Stateless)?While$|^LoopCond$|^For$/, 'loop'],
  [/^(Stateless)?(If|Case)$/, 'branch'],
  [/^(Stateful)?PartitionedCall$|^SymbolicGradient$/, 'call'],
  [
    /^Var(iable(V2)?|HandleOp|IsInitializedOp)$|^(Temporary|Auto)Variable|Queue(V2)?$|^(Mutable)?HashTable|^MutableDenseHashTable|Stack(V2)?$|^TensorArray|Barrier$|Reader(V2)?$/,
    'state',
  ],
  [/^Const$/, 'constant'],
  [/^Placeholder|^_Arg$|^IO Node$|^InputLayer$|^_Retval$/, 'input'],
];

/** The role of an operation of this kind. */
export function roleOf(op: string): Role {
  return roles.find(([pattern]) => pattern.test(op))?.[1] ?? 'plain';
}
