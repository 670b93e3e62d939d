import type { OpInput, OpNode } from './op-node.ts';
import { bytesOf, type Field, fieldsOf, textOf } from './proto.ts';

/**
 * The operations of a `GraphDef` (tensorflow/core/framework/graph.proto): its own, and those of
 * each function below the function's name.
 */
export function parseGraphDef(bytes: Uint8Array): OpNode[] {
  const nodes: OpNode[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) nodes.push(parseNode(bytesOf(field), ''));
    else if (field.number === 2) for (const part of fieldsOf(bytesOf(field))) if (part.number === 1) addFunction(nodes, bytesOf(part));
  }
  return nodes.filter(({ name }) => name !== '');
}

/** `FunctionDef`: signature 1 (its name 1, arguments 2, each with a name 1), operations 3. */
function addFunction(nodes: OpNode[], bytes: Uint8Array): void {
  let scope = '';
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1)
      for (const part of fieldsOf(bytesOf(field))) {
        if (part.number === 1) scope = `${textOf(part)}/`;
        if (part.number === 2)
          for (const inner of fieldsOf(bytesOf(part)))
            if (inner.number === 1) nodes.push({ name: scope + textOf(inner), op: '_Arg', inputs: [], device: '', attributes: new Map() });
      }
    else if (field.number === 3) nodes.push(parseNode(bytesOf(field), scope));
  }
}

/** `NodeDef`: name 1, op 2, inputs 3, device 4, attributes 5. */
function parseNode(bytes: Uint8Array, scope: string): OpNode {
  let [name, op, device] = ['', '', ''];
  const inputs: OpInput[] = [];
  const attributes = new Map<string, string>();
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) name = scope + textOf(field);
    else if (field.number === 2) op = textOf(field);
    else if (field.number === 3) inputs.push(parseInput(textOf(field), scope));
    else if (field.number === 4) device = textOf(field);
    else if (field.number === 5) {
      const [key, value] = parseAttribute(bytesOf(field));
      attributes.set(key, value);
    }
  }
  return { name, op, inputs, device, attributes };
}

/** `name`, `name:1`, `^name` (control); in functions also `name:output:0`. */
function parseInput(text: string, scope: string): OpInput {
  const control = text.startsWith('^');
  const name = text.replace(/^\^/, '').replace(/:.*$/, '');
  return { name: scope + name, control };
}

/** A map entry: key 1, `AttrValue` 2. */
function parseAttribute(bytes: Uint8Array): [string, string] {
  let [key, value] = ['', ''];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) key = textOf(field);
    else if (field.number === 2) for (const part of fieldsOf(bytesOf(field))) value = attributeText(part);
  }
  return [key, value];
}

/**
 * `AttrValue`: list 1, s 2, i 3, f 4, b 5, type 6, shape 7, tensor 8, placeholder 9, func 10 (its
 * name 1).
 */
function attributeText(field: Field): string {
  if (field.number === 2) return textOf(field).slice(0, 200);
  if (field.number === 3 || field.number === 4) return String(field.value);
  if (field.number === 5) return String(Boolean(field.value));
  if (field.number === 6) return dataTypes[Number(field.value)] ?? `type ${String(field.value)}`;
  if (field.number === 7) return shapeText(bytesOf(field));
  if (field.number === 8) return 'a tensor';
  if (field.number === 10) for (const part of fieldsOf(bytesOf(field))) if (part.number === 1) return textOf(part);
  if (field.number === 1) return listText(bytesOf(field));
  return '';
}

/** `TensorShapeProto`: dimensions 2 (size 1), unknown rank 3. */
function shapeText(bytes: Uint8Array): string {
  const sizes: string[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 3 && field.value) return 'of any rank';
    if (field.number !== 2) continue;
    let size = '0';
    for (const part of fieldsOf(bytesOf(field))) if (part.number === 1) size = Number(part.value) > 2 ** 53 ? '?' : String(part.value);
    sizes.push(size);
  }
  return `[${sizes.join(', ')}]`;
}

const maxOfList = 8;

/** Lists have the same fields, repeated. Packed numbers are not decoded. */
function listText(bytes: Uint8Array): string {
  const items: string[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 2 || field.number === 7 || typeof field.value === 'number') items.push(attributeText(field));
    else if (field.number === 3) items.push(...Array.from(firstOf(field), String));
    else if (field.number === 6) items.push(...Array.from(firstOf(field), (type) => dataTypes[type] ?? `type ${type}`));
  }
  return `${items.slice(0, maxOfList).join(', ')}${items.length > maxOfList ? ', …' : ''}`;
}

/** The first bytes of packed values; later bytes are not shown. */
function firstOf(field: Field): Uint8Array {
  return bytesOf(field).subarray(0, maxOfList + 1);
}

/** The type names of types.proto, by number. */
const dataTypes: readonly string[] = (
  'invalid float32 float64 int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 quint16 uint16 complex128 float16 ' +
  'resource variant uint32 uint64'
).split(' ');
