import protobuf from 'protobufjs';
import { limits, Problem } from '#model';

/**
 * Maximum items of a repeated field in one message, over all its parts. Every repeated field of
 * every request is listed here or in {@link readInSlices}; a test checks this.
 */
const most: Readonly<Record<string, number>> = {
  'tensorboard.data.RunFilter.names': limits.maxNamesPerQuery,
  'tensorboard.data.TagFilter.names': limits.maxNamesPerQuery,
};

/**
 * Requests that their handlers read themselves, field by field, in slices of the event loop and
 * with their own limits.
 */
export const readInSlices: ReadonlySet<string> = new Set([
  'tensorboard.service.WriteScalarRequest',
  'tensorboard.service.WriteTensorRequest',
]);

/**
 * Throws `body-too-large` for a message with too many items in a list, before decoding it, and a
 * RangeError for bytes that are not a message.
 */
export function checkLists(type: protobuf.Type, bytes: Uint8Array): void {
  if (!hasLists(type)) return;
  count(type, protobuf.Reader.create(bytes), bytes.length, new Map());
}

/** The repeated fields of a message and its nested messages, by their full names. */
export function listsOf(type: protobuf.Type, seen = new Set<protobuf.Type>()): string[] {
  if (seen.has(type)) return [];
  seen.add(type);
  return type.fieldsArray.flatMap((field) => [
    ...(field.repeated ? [nameOf(field)] : []),
    ...(field.resolvedType instanceof protobuf.Type ? listsOf(field.resolvedType, seen) : []),
  ]);
}

/** Those without a limit. */
export function unboundedLists(type: protobuf.Type): string[] {
  return readInSlices.has(type.fullName.slice(1)) ? [] : listsOf(type).filter((name) => most[name] === undefined);
}

const withLists = new WeakMap<protobuf.Type, boolean>();

function hasLists(type: protobuf.Type): boolean {
  let known = withLists.get(type);
  if (known === undefined) {
    known = listsOf(type).length > 0;
    withLists.set(type, known);
  }
  return known;
}

function count(type: protobuf.Type, reader: protobuf.Reader, end: number, counts: Map<string, number>): void {
  while (reader.pos < end) {
    const key = reader.uint32();
    const field = type.fieldsById[key >>> 3];
    if (field?.repeated) {
      const name = nameOf(field);
      const items = (counts.get(name) ?? 0) + 1;
      counts.set(name, items);
      if (items > (most[name] ?? 0)) throw new Problem('body-too-large', `The message has more than ${most[name] ?? 0} ${field.name}.`);
    }
    if (field?.resolvedType instanceof protobuf.Type && (key & 7) === 2 && hasLists(field.resolvedType)) {
      const length = reader.uint32();
      if (length > end - reader.pos) throw new RangeError('a field ends beyond its message');
      count(field.resolvedType, reader, reader.pos + length, counts);
    } else reader.skipType(key & 7);
  }
}

function nameOf(field: protobuf.Field): string {
  return field.fullName.slice(1);
}
