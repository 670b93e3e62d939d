import protobuf from 'protobufjs';

/** A field of a message: its number, and its bytes as a view of the message's. */
export interface MessageField {
  readonly id: number;
  readonly bytes: Buffer;
}

const lengthDelimited = 2;

/**
 * The fields of a message that have a length (texts, bytes and messages), one by one, in their order: for messages too large to be decoded in one go. Numbers are
 * passed over. Throws a RangeError where the bytes are no message.
 */
export function* fieldsOf(message: Buffer): Generator<MessageField> {
  const reader = protobuf.Reader.create(message);
  while (reader.pos < reader.len) {
    const field = nextField(message, reader);
    if (field) yield field;
  }
}

/** Null: a field without a length, which was passed over. */
function nextField(message: Buffer, reader: protobuf.Reader): MessageField | null {
  try {
    const key = reader.uint32();
    const id = key >>> 3;
    if (id === 0) throw new RangeError('a field has the number 0');
    if ((key & 7) !== lengthDelimited) {
      reader.skipType(key & 7);
      return null;
    }
    const length = reader.uint32();
    if (length > reader.len - reader.pos) throw new RangeError('a field ends beyond its message');
    const bytes = message.subarray(reader.pos, reader.pos + length);
    reader.pos += length;
    return { id, bytes };
  } catch (error) {
    throw error instanceof RangeError ? error : new RangeError('the bytes are no message', { cause: error });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a field. Throws a RangeError where it is not UTF-8. */
export function textOfField(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new RangeError('a text is not UTF-8', { cause: error });
  }
}
