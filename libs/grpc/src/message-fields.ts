import protobuf from 'protobufjs';

/** A field of a message: its number, and its bytes as a view of the message. */
export interface MessageField {
  readonly id: number;
  readonly bytes: Buffer;
}

const lengthDelimited = 2;

/** Yielded for a number, so that callers with long messages can pause there too. */
const skipped: MessageField = { id: 0, bytes: Buffer.alloc(0) };
/**
 * Wire types of groups. No message uses them, and skipping one takes as long as reading its fields.
 */
const groups = [3, 4];

/**
 * Yields the length-delimited fields of a message (strings, bytes and messages), in order: for
 * messages that are too large to decode at once. Numbers have the id 0, and no bytes. Throws a
 * RangeError if the bytes are not a message.
 */
export function* fieldsOf(message: Buffer): Generator<MessageField> {
  const reader = protobuf.Reader.create(message);
  while (reader.pos < reader.len) yield nextField(message, reader);
}

function nextField(message: Buffer, reader: protobuf.Reader): MessageField {
  try {
    const key = reader.uint32();
    const id = key >>> 3;
    if (id === 0) throw new RangeError('a field has the number 0');
    if ((key & 7) !== lengthDelimited) {
      if (groups.includes(key & 7)) throw new RangeError('a field is a group');
      reader.skipType(key & 7);
      return skipped;
    }
    const length = reader.uint32();
    if (length > reader.len - reader.pos) throw new RangeError('a field ends beyond its message');
    const bytes = message.subarray(reader.pos, reader.pos + length);
    reader.pos += length;
    return { id, bytes };
  } catch (error) {
    throw error instanceof RangeError ? error : new RangeError('the bytes are not a message', { cause: error });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a field. Throws a RangeError if it is not UTF-8. */
export function textOfField(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new RangeError('a string is not UTF-8', { cause: error });
  }
}
