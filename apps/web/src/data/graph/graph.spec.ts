import { describe, expect, it } from 'vitest';
import { framesOf } from './frames.ts';
import { parseGraphDef } from './graph-def.ts';
import { buildHierarchy, scopesAbove } from './hierarchy.ts';
import { parseKerasModel } from './keras-model.ts';
import { layoutScope } from './layout.ts';
import type { OpNode } from './op-node.ts';
import { parseRunMetadata } from './run-metadata.ts';

/** Handwritten protobuf: fields of bytes, text or small whole numbers. */
function message(...fields: (readonly [number, string | number | Uint8Array])[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [number * 8, ...varint(value)];
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return [number * 8 + 2, ...varint(bytes.length), ...bytes];
    }),
  );
}

/** A single field with more bytes than `message` supports. */
function bytesOf(number: number, bytes: Uint8Array): Uint8Array {
  const head = [number * 8 + 2, ...varint(bytes.length)];
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const node = (name: string, op: string, inputs: string[] = [], attributes: Record<string, Uint8Array> = {}) =>
  message(
    [1, name],
    [2, op],
    ...inputs.map((input) => [3, input] as const),
    [4, '/device:GPU:0'],
    ...Object.entries(attributes).map(([key, value]) => [5, message([1, key], [2, value])] as const),
  );
const op = (name: string, kind: string, inputs: string[] = [], attributes: Record<string, string> = {}): OpNode => ({
  name,
  op: kind,
  inputs: inputs.map((input) => ({ name: input.replace('^', ''), control: input.startsWith('^') })),
  device: '',
  attributes: new Map(Object.entries(attributes)),
});

/** A loop, as TensorFlow 1 writes it. */
const loop = [
  op('zero', 'Const'),
  op('while/Enter', 'Enter', ['zero'], { frame_name: 'while/context' }),
  op('while/Merge', 'Merge', ['while/Enter', 'while/NextIteration']),
  op('while/Switch', 'Switch', ['while/Merge', 'while/Cond']),
  op('while/Cond', 'LoopCond', ['while/Merge']),
  op('while/add', 'Add', ['while/Switch']),
  op('while/NextIteration', 'NextIteration', ['while/add']),
  op('while/Exit', 'Exit', ['while/Switch']),
  op('after', 'Identity', ['while/Exit', '^zero']),
];

describe('a graph', () => {
  it('is parsed with devices, attributes and the kinds of its inputs', () => {
    const shape = message([7, message([2, message([1, 3])], [2, message([1, 4])])]);
    const bytes = message([1, node('a/x', 'Const', [], { dtype: message([6, 1]), shape })], [1, node('b', 'Add', ['a/x:1', '^c'])]);
    const [x, b] = parseGraphDef(bytes);
    expect([x!.name, x!.op, x!.device, [...x!.attributes]]).toEqual([
      'a/x',
      'Const',
      '/device:GPU:0',
      [
        ['dtype', 'float32'],
        ['shape', '[3, 4]'],
      ],
    ]);
    expect(b!.inputs).toEqual([
      { name: 'a/x', control: false },
      { name: 'c', control: true },
    ]);
  });

  it('shows functions as scopes', () => {
    const signature = message([1, 'fn'], [2, message([1, 'arg'])]);
    const library = message([1, message([1, signature], [3, node('mul', 'Mul', ['arg', 'const:output:0'])])]);
    expect(parseGraphDef(message([2, library])).map(({ name, inputs }) => [name, ...inputs.map((input) => input.name)])).toEqual([
      ['fn/arg'],
      ['fn/mul', 'fn/arg', 'fn/const'],
    ]);
  });

  it('may have more operations than a call accepts arguments', () => {
    const count = 200_000;
    const many = (field: Uint8Array): Uint8Array => new Uint8Array(field.length * count).map((_, at) => field[at % field.length]!);
    expect(parseGraphDef(bytesOf(2, bytesOf(1, many(message([3, message([1, 'x'])])))))).toHaveLength(count);
    expect(parseRunMetadata(bytesOf(3, many(message([1, message([1, 'x'])])))).nodes).toHaveLength(count);
  });

  it('of any bytes is parsed as far as possible', () => {
    const bytes = message([1, node('a', 'Const')], [1, node('b', 'Const')]);
    for (let end = 0; end < bytes.length; end++) expect(parseGraphDef(bytes.subarray(0, end)).length).toBeLessThan(2);
    for (let i = 0; i < 500; i++) parseGraphDef(Uint8Array.from({ length: 60 }, (_, at) => (i * 7919 + at * 104_729) % 256));
  });

  it('groups operations into scopes, and merges edges between scopes', () => {
    const root = buildHierarchy([op('a/x', 'Const'), op('a/y', 'Const'), op('b/c/z', 'Add', ['a/x', 'a/y']), op('b', 'NoOp', ['^a/x'])]);
    expect([...root.parts.values()].map(({ path, scope }) => [path, scope?.operations])).toEqual([
      ['a/', 2],
      ['b/', 2],
    ]);
    expect([...root.links.values()]).toEqual([{ from: 'a/', to: 'b/', count: 3, control: false, back: false }]);
    expect([...root.parts.get('b/')!.scope!.parts.values()].map(({ label }) => label)).toEqual(['c', '(b)']);
    expect(['a/x', 'b/c/z', 'b', 'gone'].map((name) => scopesAbove(root, name))).toEqual([['a/'], ['b/', 'b/c/'], ['b/'], []]);
  });

  it('shows a loop as one scope, with its back edges', () => {
    const root = buildHierarchy(loop);
    const scope = root.parts.get('while/')!.scope!;
    expect([root.loop, scope.loop]).toEqual([true, true]);
    expect([...scope.links.values()].filter(({ back }) => back)).toMatchObject([{ from: 'while/NextIteration', to: 'while/Merge' }]);
    expect([...scope.parts.values()].map(({ role }) => role)).toEqual(['enter', 'merge', 'switch', 'loop', 'plain', 'next', 'exit']);
    const frames = framesOf(loop);
    expect([frames.get('while/add'), frames.get('after'), frames.get('zero')]).toEqual(['while/context', undefined, undefined]);
  });

  it('is laid out from the innermost scope outward, without overlap', () => {
    const placed = layoutScope(buildHierarchy(loop), new Set(['while/']));
    const inside = placed.parts.find(({ part }) => part.path === 'while/')!;
    expect(inside.inner!.parts).toHaveLength(7);
    expect(inside.width).toBeGreaterThanOrEqual(inside.inner!.width);
    for (const a of placed.parts)
      for (const b of placed.parts)
        if (a !== b) expect(Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2).toBe(true);
  });
});

describe('a Keras model', () => {
  it('is parsed from both versions of its JSON', () => {
    const layer = (name: string, inbound: unknown) => ({ name, class_name: 'Dense', config: { name, units: 3 }, inbound_nodes: inbound });
    const old = { class_name: 'Model', config: { layers: [layer('in', []), layer('out', [[['in', 0, 0, {}]]])] } };
    const history = { class_name: '__keras_tensor__', config: { keras_history: ['in', 0, 0] } };
    const recent = { class_name: 'Functional', config: { layers: [layer('in', []), layer('out', [{ args: [history], kwargs: {} }])] } };
    for (const model of [old, recent]) {
      const [, out] = parseKerasModel(JSON.stringify(model));
      expect([out!.inputs, out!.attributes.get('units')]).toEqual([[{ name: 'in', control: false }], '3']);
    }
    const sequential = { class_name: 'Sequential', config: { layers: [layer('a', undefined), layer('b', undefined)] } };
    expect(parseKerasModel(JSON.stringify(sequential))[1]!.inputs).toEqual([{ name: 'a', control: false }]);
  });

  it('is null for anything else', () => {
    expect([parseKerasModel('{'), parseKerasModel('[]'), parseKerasModel('{"config":{"layers":7}}')]).toEqual([[], [], []]);
  });
});

describe('run metadata', () => {
  it('includes the time of each operation, over all devices', () => {
    const stats = (took: number, bytes: number) => message([1, 'a:MatMul'], [5, took], [6, message([2, bytes])]);
    const device = (took: number) => message([1, message([1, '/gpu:0'], [2, stats(took, 1000)])]);
    const { costs } = parseRunMetadata(message([1, message([1, message([1, '/gpu:0'], [2, stats(30, 1000)])])], [1, device(200)]));
    expect(costs.get('a')).toEqual({ microseconds: 230, bytes: 2000, device: '/gpu:0' });
  });
});
