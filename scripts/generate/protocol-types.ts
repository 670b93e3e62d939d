import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

const folder = join(process.cwd(), 'libs/protocols/proto');

/**
 * Messages that are forwarded as bytes; code that needs their content parses the bytes. On the
 * wire, a message and bytes look the same.
 */
const opaque: ReadonlySet<string> = new Set(['.tensorboard.TensorProto', '.tensorboard.SummaryMetadata']);

/** Returns all of libs/protocols/proto, parsed and resolved. */
function readProtos(): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(folder, target);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.proto'));
  root.loadSync(names.sort());
  root.resolveAll();
  return root;
}

/**
 * libs/protocols/src/messages.ts: an interface for each message as it is read, and the map of all
 * names.
 */
export function protocolTypes(): string {
  const types = typesOf(readProtos());
  const names = new Map<string, string>();
  for (const type of types) {
    const name = nameOf(type);
    const other = names.get(name);
    if (other !== undefined) throw new Error(`${type.fullName} and ${other} would both be named ${name}`);
    names.set(name, type.fullName);
  }
  return [
    '/** Written from libs/protocols/proto by `npm run generate`: the messages as they are read. Fields that were not sent have their defaults; messages that were not sent are null. */',
    ...types.flatMap((type) => [
      `/** \`${type.fullName.slice(1)}\`. */`,
      `export interface ${nameOf(type)} {`,
      ...type.fieldsArray.map((field) => `  readonly ${field.name}: ${typeOf(field)};`),
      '}',
      '',
    ]),
    '/** The messages by the names that they have on the wire. */',
    'export interface Messages {',
    ...types.map((type) => `  '${type.fullName.slice(1)}': ${nameOf(type)};`),
    '}',
  ].join('\n');
}

/**
 * libs/protocols/src/descriptor.ts: the same as data, so that no process has to find and parse the
 * files.
 */
export function protocolDescriptor(): string {
  const root = readProtos();
  for (const type of typesOf(root)) {
    for (const field of type.fieldsArray) if (opaque.has(field.resolvedType?.fullName ?? '')) makeBytes(field);
  }
  return [
    '/** Written from libs/protocols/proto by `npm run generate`: the definitions from which protobufjs creates codecs. Messages that are forwarded as bytes have the type `bytes`. */',
    `export const descriptor = ${JSON.stringify(root.toJSON())};`,
  ].join('\n');
}

function makeBytes(field: protobuf.Field): void {
  field.type = 'bytes';
  field.resolvedType = null;
}

function typesOf(namespace: protobuf.NamespaceBase): protobuf.Type[] {
  return namespace.nestedArray.flatMap((entry) => {
    if (entry instanceof protobuf.Type) return [entry, ...typesOf(entry)];
    return entry instanceof protobuf.Namespace && !(entry instanceof protobuf.Service) ? typesOf(entry) : [];
  });
}

/** Includes the names of the enclosing messages. */
function nameOf(type: protobuf.Type): string {
  return type.parent instanceof protobuf.Type ? `${nameOf(type.parent)}${type.name}` : type.name;
}

function typeOf(field: protobuf.Field): string {
  const one = singleTypeOf(field);
  if (field.repeated) return `readonly ${one}[]`;
  return field.resolvedType instanceof protobuf.Type && !opaque.has(field.resolvedType.fullName) ? `${one} | null` : one;
}

function singleTypeOf({ resolvedType, type }: protobuf.Field): string {
  if (resolvedType instanceof protobuf.Enum) return 'number';
  if (resolvedType instanceof protobuf.Type) return opaque.has(resolvedType.fullName) ? 'Uint8Array' : nameOf(resolvedType);
  switch (type) {
    case 'string':
      return 'string';
    case 'bytes':
      return 'Uint8Array';
    case 'bool':
      return 'boolean';
    case 'int64':
    case 'uint64':
      return 'bigint';
    default:
      return 'number';
  }
}
