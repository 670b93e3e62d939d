import { type OpNode, roleOf } from './op-node.ts';

/**
 * The loop of each operation, by operation name. Follows the data from Enter operations
 * (`frame_name`) to the Exits.
 */
export function framesOf(nodes: readonly OpNode[]): Map<string, string> {
  const after = new Map<string, OpNode[]>();
  for (const node of nodes)
    for (const { name } of node.inputs) {
      const list = after.get(name);
      if (list) list.push(node);
      else after.set(name, [node]);
    }
  const frames = new Map<string, string>();
  const waiting: OpNode[] = [];
  const enter = (node: OpNode, frame: string): void => {
    if (frames.has(node.name)) return;
    frames.set(node.name, frame);
    waiting.push(node);
  };
  // All Enters come first: operations that follow an Enter are in its loop, not in the outer one
  for (const node of nodes) if (roleOf(node.op) === 'enter') enter(node, node.attributes.get('frame_name') ?? 'loop');
  for (let node = waiting.pop(); node; node = waiting.pop())
    if (roleOf(node.op) !== 'exit') for (const next of after.get(node.name) ?? []) enter(next, frames.get(node.name)!);
  return frames;
}
