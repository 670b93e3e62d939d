import { encodeTail, type TailEntry } from './tail.ts';

/** A block of some neighbouring series of a tail: whoever wants one series reads the parts that may have it. */
export interface TailPart {
  /** Smallest and largest id of its series. */
  readonly firstSeries: string;
  readonly lastSeries: string;
  readonly points: number;
  readonly body: Buffer;
}

/**
 * Points after which a part ends. Smaller ones are faster to read for a chart of one tag, and take more bytes, as columns are told by their
 * difference to the column before: at 128, the merged blocks of a live run take a tenth more.
 */
const usualPartPoints = 256;

/**
 * Encodes entries as parts, by the ids of their series. Within a part they keep their order: that of the log is told in the fewest bytes.
 * None: nothing has points.
 */
export function encodeTailParts(entries: readonly TailEntry[], partPoints = usualPartPoints): TailPart[] {
  const filled = entries.filter(({ points }) => points.steps.length > 0);
  const bySeries = [...Map.groupBy(filled, ({ seriesId }) => BigInt(seriesId))].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts: { readonly ids: bigint[]; points: number }[] = [];
  for (const [id, group] of bySeries) {
    const open = parts.at(-1);
    const points = pointsIn(group);
    if (!open || open.points >= partPoints) parts.push({ ids: [id], points });
    else {
      open.ids.push(id);
      open.points += points;
    }
  }
  const last = parts.length > 1 && parts.at(-1)!.points < partPoints / 2 ? parts.pop()! : null;
  if (last) {
    parts.at(-1)!.ids.push(...last.ids);
    parts.at(-1)!.points += last.points;
  }
  const partOf = new Map(parts.flatMap(({ ids }, part) => ids.map((id) => [String(id), part] as const)));
  const entriesOf = parts.map((): TailEntry[] => []);
  for (const entry of filled) entriesOf[partOf.get(entry.seriesId)!]!.push(entry);
  return parts.map(({ ids, points }, part) => {
    const body = encodeTail(entriesOf[part]!);
    return { firstSeries: String(ids[0]), lastSeries: String(ids.at(-1)), points, body };
  });
}

function pointsIn(entries: readonly TailEntry[]): number {
  return entries.reduce((sum, { points }) => sum + points.steps.length, 0);
}
