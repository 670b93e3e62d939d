import { Refusal } from './refusal.ts';
import { checkMetadata } from './summary-metadata.ts';
import { TensorProto } from './tensor-proto.ts';
import { Wire } from './wire.ts';

/** Whether these bytes are a TensorProto, whatever it holds: the record of an event that has it can be read. */
export function isTensorProto(bytes: Uint8Array): boolean {
  return isRead(bytes, (wire, end) => new TensorProto(wire, 0, end));
}

/** Whether these bytes are a SummaryMetadata. */
export function isSummaryMetadata(bytes: Uint8Array): boolean {
  return isRead(bytes, (wire, end) => checkMetadata(wire, 0, end));
}

function isRead(bytes: Uint8Array, read: (wire: Wire, end: number) => unknown): boolean {
  const wire = new Wire();
  wire.attach(bytes);
  try {
    read(wire, bytes.length);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
