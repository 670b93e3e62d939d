import protobuf from 'protobufjs';
import { limits, Problem } from '#model';

/**
 * Maximum number of items in a repeated field of one message, over all its parts. Every repeated
 * field of every request is listed here or in {@link readInSlices}; a test checks this.
 */
const max: Readonly<Record<string, number>> = {
  'tensorboard.data.RunFilter.names': limits.maxNamesPerQuery,
  'tensorboard.data.TagFilter.names': limits.maxNamesPerQuery,
};

/**
 * Requests whose handlers read them field by field, in slices of the event loop and with their own
 * limits.
 */
export const readInSlices: ReadonlySet<string> = new Set([
  'tensorboard.service.WriteScalarRequest',
  'tensorboard.service.WriteTensorRequest',
]);

/**
 * Maximum number of fields in one message, including nested messages: decoding more takes too long.
 */
const maxFields = limits.maxBodyValues;

/**
 * Throws before a message is decoded: `body-too-large` if it has too many fields, or too many items
 * in a list, and a RangeError if the bytes are not a message.
 */
export function checkFields(type: protobuf.Type, bytes: Uint8Array): void {
  count(type, protobuf.Reader.create(bytes), bytes.length, { fields: 0, items: new Map() });
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

/** The message's repeated fields without a limit. */
export function unboundedLists(type: protobuf.Type): string[] {
  return readInSlices.has(type.fullName.slice(1)) ? [] : listsOf(type).filter((name) => max[name] === undefined);
}

interface Counts {
  fields: number;
  /** By the name of the repeated field. */
  readonly items: Map<string, number>;
}

const lengthDelimited = 2;
/**
 * Wire types of groups. No message uses them, and skipping one takes time proportional to its
 * length.
 */
const groups = [3, 4];

function count(type: protobuf.Type, reader: protobuf.Reader, end: number, counts: Counts): void {
  while (reader.pos < end) {
    const key = reader.uint32();
    const wireType = key & 7;
    if (groups.includes(wireType)) throw new RangeError('the message has a group');
    if (++counts.fields > maxFields) throw new Problem('body-too-large', `The message has more than ${maxFields} fields.`);
    const field = type.fieldsById[key >>> 3];
    if (field?.repeated) {
      const name = nameOf(field);
      const items = (counts.items.get(name) ?? 0) + 1;
      counts.items.set(name, items);
      if (items > (max[name] ?? 0)) throw new Problem('body-too-large', `The message has more than ${max[name] ?? 0} ${field.name}.`);
    }
    if (field?.resolvedType instanceof protobuf.Type && wireType === lengthDelimited) {
      const length = reader.uint32();
      if (length > end - reader.pos) throw new RangeError('a field ends beyond its message');
      count(field.resolvedType, reader, reader.pos + length, counts);
    } else reader.skipType(wireType);
  }
}

function nameOf(field: protobuf.Field): string {
  return field.fullName.slice(1);
}
