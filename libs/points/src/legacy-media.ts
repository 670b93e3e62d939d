import type { Wire } from './wire.ts';

const ascii = new TextEncoder();

/**
 * Summary.Image{1 height; 2 width; 4 encoded_image_string} as the blobs of an image series: width
 * and height in decimal ASCII, then the encoded image (protocol reference A.5). Throws a `Refusal`
 * if it is malformed.
 */
export function readLegacyImage(wire: Wire, start: number, end: number): Uint8Array[] {
  let [width, height] = [0, 0];
  let image = wire.buf.subarray(start, start);
  wire.pos = start;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x08 || key === 0x10) {
      wire.varint(end);
      if (key === 0x08) height = wire.low;
      else width = wire.low;
    } else if (key === 0x22) image = bytes(wire, end);
    else wire.skip(key, end);
  }
  return [ascii.encode(String(width)), ascii.encode(String(height)), image];
}

/**
 * Summary.Audio{4 encoded_audio_string} as the single blob of an audio point. Throws a `Refusal` if
 * it is malformed.
 */
export function readLegacyAudio(wire: Wire, start: number, end: number): Uint8Array[] {
  let clip = wire.buf.subarray(start, start);
  wire.pos = start;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x22) clip = bytes(wire, end);
    else wire.skip(key, end);
  }
  return [clip];
}

function bytes(wire: Wire, end: number): Uint8Array {
  const last = wire.lengthEnd(end);
  const field = wire.buf.subarray(wire.pos, last);
  wire.pos = last;
  return field;
}
