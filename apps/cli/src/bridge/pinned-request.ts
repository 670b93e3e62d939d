import type { ExperimentId } from '#model';

/**
 * Ids that stock TensorBoard uses for "the" experiment: on its page at `/`, and in the Angular part
 * of the page (protocol reference D.2).
 */
const unnamed: ReadonlySet<string> = new Set(['', 'defaultExperimentId']);

/**
 * Tag byte of a length-delimited field 1: `experiment_id` of every request except ReadBlob's, where
 * it is `blob_key`.
 */
const firstField = 0x0a;

/**
 * The request with `experiment_id` (field 1) set to `experimentId`, otherwise unchanged. Null if
 * the request is for another experiment. Throws RangeError if the bytes are not a protobuf message.
 */
export function pinnedRequest(request: Buffer, experimentId: ExperimentId): Buffer | null {
  const { named, others } = splitFirstField(request);
  if (!unnamed.has(named) && named !== experimentId) return null;
  const id = Buffer.from(experimentId);
  return Buffer.concat([Buffer.from([firstField, id.length]), id, ...others]);
}

/**
 * Whether the key of a ReadBlobRequest belongs to this experiment; the service still checks access.
 */
export function asksForBlobOf(request: Buffer, experimentId: ExperimentId): boolean {
  try {
    const parts: unknown = JSON.parse(Buffer.from(splitFirstField(request).named, 'base64url').toString('utf8'));
    return Array.isArray(parts) && parts[1] === experimentId; // [version, experiment, …], as the service creates them
  } catch {
    return false; // not a key of ours
  }
}

/**
 * Splits a message into the last value of field 1 (earlier values do not count) and all other
 * fields, unchanged.
 */
function splitFirstField(message: Buffer): { named: string; others: Buffer[] } {
  const others: Buffer[] = [];
  let named = '';
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined || scale > 2 ** 63) throw new RangeError('a varint is incomplete or too long');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const start = at;
    const key = varint();
    const type = key % 8;
    if (type === 2) {
      const length = varint();
      if (key === firstField) named = message.toString('utf8', at, at + length);
      at += length;
    } else if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else throw new RangeError(`unexpected wire type ${type}`);
    if (at > message.length) throw new RangeError('a field extends past the end of the message');
    if (key !== firstField) others.push(message.subarray(start, at));
  }
  return { named, others };
}
