import { parseGraphDef } from './graph-def.ts';
import type { OpNode } from './op-node.ts';
import { bytesOf, fieldsOf, textOf } from './proto.ts';

/** The cost of an operation in a run of the graph, summed over all devices. */
export interface OpCost {
  readonly microseconds: number;
  readonly bytes: number;
  readonly device: string;
}

/**
 * The content of a `RunMetadata` (tensorflow/core/protobuf/config.proto): costs by operation, and
 * function graphs.
 */
export interface RunMetadata {
  readonly costs: ReadonlyMap<string, OpCost>;
  readonly nodes: readonly OpNode[];
}

/**
 * Fields: step statistics 1, partition graphs 3, function graphs 4 (partitions 1, before
 * optimization 2).
 */
export function parseRunMetadata(bytes: Uint8Array): RunMetadata {
  const costs = new Map<string, OpCost>();
  let nodes: OpNode[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) for (const device of fieldsOf(bytesOf(field))) if (device.number === 1) addDevice(costs, bytesOf(device));
    if (field.number === 3 && nodes.length === 0) nodes = parseGraphDef(bytesOf(field));
    if (field.number === 4)
      for (const part of fieldsOf(bytesOf(field))) if (part.number === 2) nodes = nodes.concat(parseGraphDef(bytesOf(part)));
  }
  return { costs, nodes };
}

/** `DeviceStepStats`: device 1, operations 2. */
function addDevice(costs: Map<string, OpCost>, bytes: Uint8Array): void {
  let device = '';
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) device = textOf(field);
    else if (field.number === 2) {
      const { name, microseconds, memory } = costOf(bytesOf(field));
      const known = costs.get(name);
      costs.set(name, { microseconds: (known?.microseconds ?? 0) + microseconds, bytes: (known?.bytes ?? 0) + memory, device });
    }
  }
}

/**
 * `NodeExecStats`: name 1, start 2 and duration 5 (microseconds), memory 6 (total 2). In old
 * versions, names include the output: `op:Kind`.
 */
function costOf(bytes: Uint8Array): { readonly name: string; readonly microseconds: number; readonly memory: number } {
  let [name, microseconds, memory] = ['', 0, 0];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) name = textOf(field).replace(/:.*$/, '');
    else if (field.number === 5) microseconds = Number(field.value);
    else if (field.number === 6) for (const part of fieldsOf(bytesOf(field))) if (part.number === 2) memory += Number(part.value);
  }
  return { name, microseconds, memory };
}
