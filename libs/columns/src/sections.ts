import { damaged } from './bad-block.ts';
import { putUint32, uint32 } from './framing.ts';
import { wallBytes } from './wall-times.ts';

/*
 * A packed range. All numbers are little-endian; varints are LEB128.
 *
 *   six uint32: bytes of templates, order and steps, number of wall times, bytes of values and
 *   literals templates: the forms of records, see template-table.ts order: which items follow one
 *   another, see record-order.ts steps: of the records that have one, the zigzag difference to the
 *   previous, as varints wall times: see wall-times.ts values: for each template and each of its
 *   values, the bytes side by side literals: bytes that belong to no whole record with correct
 *   checksums, and the data of records without a template
 */
const fields = 6;
const prefixBytes = 4 * fields;

/** Where each part begins. */
export interface Parts {
  readonly templates: number;
  readonly order: number;
  readonly steps: number;
  readonly walls: number;
  readonly wallCount: number;
  readonly values: number;
  readonly literals: number;
  readonly end: number;
}

/** Joins the parts of a packed range; `fill` writes wall times, values and literals. */
export function joinSections(from: {
  readonly templates: Uint8Array;
  readonly order: Uint8Array;
  readonly steps: Uint8Array;
  readonly walls: number;
  readonly values: number;
  readonly literals: number;
  readonly fill: (target: Uint8Array, parts: Parts) => void;
}): Uint8Array {
  const sizes = [from.templates.length, from.order.length, from.steps.length, from.walls, from.values, from.literals];
  const parts = placed(sizes);
  const packed = Buffer.allocUnsafe(parts.end);
  sizes.forEach((size, i) => putUint32(packed, 4 * i, size));
  packed.set(from.templates, parts.templates);
  packed.set(from.order, parts.order);
  packed.set(from.steps, parts.steps);
  from.fill(packed, parts);
  return packed;
}

/**
 * The positions of the parts of a packed range. Throws `BadBlock` if the parts do not fill the
 * range exactly.
 */
export function splitSections(packed: Uint8Array): Parts {
  if (packed.length < prefixBytes) throw damaged('it is too short');
  const parts = placed(Array.from({ length: fields }, (_, i) => uint32(packed, 4 * i)));
  if (parts.end !== packed.length) throw damaged('its parts do not fill it');
  return parts;
}

function placed(sizes: readonly number[]): Parts {
  const templates = prefixBytes;
  const order = templates + sizes[0]!;
  const steps = order + sizes[1]!;
  const walls = steps + sizes[2]!;
  const wallCount = sizes[3]!;
  const values = walls + wallBytes * wallCount;
  const literals = values + sizes[4]!;
  return { templates, order, steps, walls, wallCount, values, literals, end: literals + sizes[5]! };
}
