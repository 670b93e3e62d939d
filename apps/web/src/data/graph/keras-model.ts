import type { OpInput, OpNode } from './op-node.ts';

/**
 * The layers of a Keras model, from the JSON that the Keras callback logs (versions 2 and 3).
 * Nested models become scopes. Empty for anything that is not a model.
 */
export function parseKerasModel(text: string): OpNode[] {
  try {
    const nodes: OpNode[] = [];
    collect(JSON.parse(text), '', nodes, 0);
    return nodes;
  } catch {
    return [];
  }
}

type Json = Readonly<Record<string, unknown>>;

const deepest = 20;

/** Adds the layers of a model and returns the name of the last one. */
function collect(model: unknown, scope: string, nodes: OpNode[], depth: number): void {
  const config = objectOf(objectOf(model).config);
  const layers = Array.isArray(config.layers) ? config.layers.map(objectOf) : [];
  if (depth > deepest) return;
  const isSequential = objectOf(model).class_name === 'Sequential';
  let before: string | null = null;
  for (const layer of layers) {
    const settings = objectOf(layer.config);
    const name = scope + (textOf(layer.name) ?? textOf(settings.name) ?? 'layer');
    const inputs = isSequential ? (before === null ? [] : [{ name: before, control: false }]) : inputsOf(layer.inbound_nodes, scope);
    if (Array.isArray(settings.layers)) collect(layer, `${name}/`, nodes, depth + 1);
    nodes.push({ name, op: textOf(layer.class_name) ?? 'Layer', inputs, device: '', attributes: attributesOf(settings) });
    before = name;
  }
}

/** Names are strings, or numbers if a user chose numbers as names. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/**
 * In version 2: lists of `[name, node, tensor, {}]`. In version 3: arguments that contain
 * `keras_history: [name, node, tensor]`.
 */
function inputsOf(nodes: unknown, scope: string): OpInput[] {
  const names = new Set<string>();
  const walk = (value: unknown, depth: number): void => {
    if (depth > deepest || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      if (typeof value[0] === 'string' && typeof value[1] === 'number') names.add(value[0]);
      else for (const one of value) walk(one, depth + 1);
      return;
    }
    const { keras_history: history } = objectOf(value);
    if (Array.isArray(history) && typeof history[0] === 'string') names.add(history[0]);
    else for (const one of Object.values(value)) walk(one, depth + 1);
  };
  walk(nodes, 0);
  return [...names].map((name) => ({ name: scope + name, control: false }));
}

function attributesOf(settings: Json): Map<string, string> {
  const plain = Object.entries(settings).filter(([name, value]) => name !== 'name' && name !== 'layers' && isPlain(value));
  return new Map(
    plain.map(([name, value]) => [name, Array.isArray(value) ? `[${value.map((one) => String(one ?? '?')).join(', ')}]` : String(value)]),
  );
}

function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every((one) => typeof one !== 'object' || one === null) : typeof value !== 'object';
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
