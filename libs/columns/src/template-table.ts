import { damaged } from './bad-block.ts';
import { type Hole, findHoles, holeBytes, maxValuesPerTemplate, value8Hole, wallHole } from './find-holes.ts';
import { headerBytes } from './framing.ts';
import { isStep, Template } from './template.ts';
import type { VarintReader, VarintWriter } from './varint.ts';

/** Larger records are kept unchanged, because they are not plain scalars. */
export const maxTemplateBytes = 1024;
/**
 * Maximum number of forms; records with other forms are kept unchanged. This also bounds a
 * decoder's memory.
 */
export const maxTemplates = 8192;

/** The forms of a block's records, learned as they appear. */
export class TemplateTable {
  readonly list: Template[] = [];
  readonly #known = new Map<string, number>();
  readonly #scratch = Buffer.alloc(maxTemplateBytes);

  /**
   * Returns the form index of the record at `start`. Adds a new form if needed. Returns -1 if the
   * record has no form.
   */
  find(bytes: Uint8Array, start: number, length: number): number {
    if (length > maxTemplateBytes) return -1;
    const dataStart = start + headerBytes;
    const holes = findHoles(bytes, dataStart, dataStart + length);
    if (holes === null) return -1;
    const data = this.#scratch.subarray(0, length);
    data.set(bytes.subarray(dataStart, dataStart + length));
    let key = '';
    for (const { at, kind } of holes) {
      data.fill(0, at, at + holeBytes(kind));
      key += `${at}:${kind} `;
    }
    key += data.toString('latin1');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.list.length === maxTemplates) return -1;
    this.#known.set(key, this.list.length);
    return this.list.push(new Template(data, holes)) - 1;
  }

  /** For each form: data length, count, holes with their distances, and the bytes between them. */
  write(target: VarintWriter): void {
    target.put(this.list.length);
    for (const { dataLength, count, holes, record } of this.list) {
      target.put(dataLength);
      target.put(count);
      target.put(holes.length);
      let from = 0;
      for (const { at, kind } of holes) {
        target.put(at - from);
        target.put(kind);
        from = at + holeBytes(kind);
      }
      from = 0;
      for (const { at, kind } of holes) {
        target.putBytes(record, headerBytes + from, headerBytes + at);
        from = at + holeBytes(kind);
      }
      target.putBytes(record, headerBytes + from, headerBytes + dataLength);
    }
  }
}

/** Reads what {@link TemplateTable.write} wrote. Throws `BadBlock`. */
export function readTemplates(source: VarintReader): Template[] {
  const count = source.next();
  // Each form takes at least three bytes, so the received bytes bound their number.
  if (count > maxTemplates || 3 * count > source.end - source.at) throw damaged('it has too many forms of records');
  const templates: Template[] = [];
  let valuesStart = 0;
  for (let i = 0; i < count; i++) {
    const template = readTemplate(source);
    template.valuesStart = valuesStart;
    valuesStart += template.count * template.valuesWidth;
    templates.push(template);
  }
  if (!source.atEnd) throw damaged('its forms of records have more bytes than they need');
  return templates;
}

function readTemplate(source: VarintReader): Template {
  const dataLength = source.next();
  const count = source.next();
  const holeCount = source.next();
  if (dataLength > maxTemplateBytes || holeCount > maxValuesPerTemplate) throw damaged('a form of records is too large');
  const holes: Hole[] = [];
  let from = 0;
  let fixedBytes = dataLength;
  let [walls, steps] = [0, 0];
  for (let i = 0; i < holeCount; i++) {
    const at = from + source.next();
    const kind = source.next();
    if (kind > value8Hole) throw damaged('a form of records has an unknown part');
    if (kind === wallHole) walls++;
    else if (isStep(kind)) steps++;
    holes.push({ at, kind });
    from = at + holeBytes(kind);
    fixedBytes -= holeBytes(kind);
  }
  if (from > dataLength || walls > 1 || steps > 1 || fixedBytes > source.end - source.at)
    throw damaged('a form of records is inconsistent');
  const data = new Uint8Array(dataLength);
  from = 0;
  for (const { at, kind } of holes) {
    data.set(source.bytes.subarray(source.at, source.at + at - from), from);
    source.at += at - from;
    from = at + holeBytes(kind);
  }
  data.set(source.bytes.subarray(source.at, source.at + dataLength - from), from);
  source.at += dataLength - from;
  const template = new Template(data, holes);
  template.count = count;
  return template;
}
