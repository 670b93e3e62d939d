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
    const key = reader.uint32();
    const id = key >>> 3;
    if (id === 0) throw new RangeError('a field has the number 0');
    if ((key & 7) !== lengthDelimited) {
      reader.skipType(key & 7);
      continue;
    }
    const length = reader.uint32();
    if (length > reader.len - reader.pos) throw new RangeError('a field ends beyond its message');
    yield { id, bytes: message.subarray(reader.pos, reader.pos + length) };
    reader.pos += length;
  }
}

/** The text of a field, as the codecs read texts. */
export function textOfField(bytes: Buffer): string {
  return protobuf.util.utf8.read(bytes, 0, bytes.length);
}
