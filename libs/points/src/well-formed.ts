import { Rejection } from './rejection.ts';
import { checkMetadata } from './summary-metadata.ts';
import { TensorProto } from './tensor-proto.ts';
import { checkUtf8 } from './utf8.ts';
import { EventScan, eventField, ValueScan } from './value-scan.ts';
import { Wire } from './wire.ts';

/**
 * Whether these bytes are a TensorProto with any content; if so, the record of its event can be
 * read.
 */
export function isTensorProto(bytes: Uint8Array): boolean {
  return isRead(bytes, (wire, end) => new TensorProto(wire, 0, end));
}

/** Whether these bytes are a SummaryMetadata. */
export function isSummaryMetadata(bytes: Uint8Array): boolean {
  return isRead(bytes, (wire, end) => checkMetadata(wire, 0, end));
}

/**
 * Whether `buf[start, end)` is a well-formed Event. An event without any field does not count,
 * because zeros and empty bytes look the same.
 */
export function isEvent(buf: Uint8Array, start: number, end: number): boolean {
  const wire = new Wire();
  wire.attach(buf);
  try {
    const event = new EventScan();
    event.read(wire, start, end);
    return start < end && (event.what !== eventField.summary || hasValues(wire, event));
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

/** Whether the last summary of the event is well-formed and all its values have tags. */
function hasValues(wire: Wire, { start, end }: EventScan): boolean {
  const value = new ValueScan();
  for (wire.pos = start; wire.pos < end;) {
    const key = wire.key(end);
    if (key !== 0x0a) {
      wire.skip(key, end);
      continue;
    }
    const last = wire.lengthEnd(end);
    value.read(wire, wire.pos, last);
    checkUtf8(wire.buf, value.tagStart, value.tagEnd);
    wire.pos = last;
  }
  return true;
}

function isRead(bytes: Uint8Array, read: (wire: Wire, end: number) => unknown): boolean {
  const wire = new Wire();
  wire.attach(bytes);
  try {
    read(wire, bytes.length);
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}
