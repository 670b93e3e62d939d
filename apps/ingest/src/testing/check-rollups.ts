import { expect } from 'vitest';
import { decodeBody } from '#chunks';
import type { PointColumns, SeriesId, TenantId } from '#model';
import { rollupRatio, type Store } from '#store';

/** The content of a `scalar_rollup` row. */
interface Said {
  readonly first_step: bigint;
  readonly last_step: bigint;
  readonly points: number;
  readonly chunks: number;
  readonly cells512: number;
  readonly cells64: number;
  readonly first_value: number;
  readonly last_value: number;
  readonly min_value: number | null;
  readonly max_value: number | null;
  readonly min_step: bigint | null;
  readonly max_step: bigint | null;
  readonly first_wall: number;
}

/**
 * Checks a series' rollups against the points of its effective chunks. The rows of each level must
 * cover the first chunks, with one row for each 8, 64 or … of them, and no level may lag behind the
 * level below. Returns the number of levels.
 */
export async function checkRollups(store: Store, tenantId: TenantId, seriesId: SeriesId): Promise<number> {
  const { chunks, rows } = await store.withTenant(
    tenantId,
    async ({ trx }) => ({
      chunks: await trx
        .selectFrom('scalar_chunk')
        .select('body')
        .where('tenant_id', '=', tenantId)
        .where('series_id', '=', seriesId)
        .where('superseded', '=', false)
        .orderBy('first_step')
        .execute(),
      rows: await trx
        .selectFrom('scalar_rollup')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('series_id', '=', seriesId)
        .orderBy('level')
        .orderBy('last_step')
        .execute(),
    }),
    { isolation: 'repeatable read' },
  );
  const points = chunks.map(({ body }) => decodeBody(body).points);
  const before = (upTo: number): number[] => {
    const sums = [0, 0, 0, 0];
    for (const { steps } of points.slice(0, upTo))
      [steps.length, 1, cells(steps.length, 512), cells(steps.length, 64)].forEach((n, i) => (sums[i]! += n));
    return sums;
  };
  const levels = Math.max(0, ...rows.map((row) => row.level));
  let finer = chunks.length;
  for (let level = 1; level <= levels || level === 1; level++) {
    const own = rows.filter((row) => row.level === level);
    const each = rollupRatio ** level;
    own.forEach((row, i) => {
      const said: Said & Record<'before', number[]> = {
        first_step: BigInt(row.first_step),
        last_step: BigInt(row.last_step),
        points: Number(row.points),
        chunks: Number(row.chunks),
        cells512: Number(row.cells512),
        cells64: Number(row.cells64),
        first_value: row.first_value,
        last_value: row.last_value,
        min_value: row.min_value,
        max_value: row.max_value,
        min_step: row.min_step === null ? null : BigInt(row.min_step),
        max_step: row.max_step === null ? null : BigInt(row.max_step),
        first_wall: row.first_wall,
        before: [row.points_before, row.chunks_before, row.cells512_before, row.cells64_before].map(Number),
      };
      expect(said).toEqual({ ...naive(points.slice(i * each, (i + 1) * each)), before: before(i * each) });
    });
    expect(own.length * each).toBeLessThanOrEqual(chunks.length);
    if (level > 1) expect(own.length).toBe(Math.floor(finer / rollupRatio));
    finer = own.length;
  }
  return levels;
}

function cells(points: number, size: number): number {
  return Math.ceil(points / size);
}

function naive(chunks: readonly PointColumns[]): Said {
  const values = chunks.flatMap((chunk) => [...chunk.values]);
  const steps = chunks.flatMap((chunk) => [...chunk.steps]);
  let min = -1;
  let max = -1;
  values.forEach((value, i) => {
    if (Number.isNaN(value)) return;
    if (min < 0 || value < values[min]!) min = i;
    if (max < 0 || value > values[max]!) max = i;
  });
  const sum = (of: (count: number) => number): number => chunks.reduce((total, chunk) => total + of(chunk.steps.length), 0);
  return {
    first_step: steps[0]!,
    last_step: steps.at(-1)!,
    points: steps.length,
    chunks: chunks.length,
    cells512: sum((count) => cells(count, 512)),
    cells64: sum((count) => cells(count, 64)),
    first_value: values[0]!,
    last_value: values.at(-1)!,
    min_value: min < 0 ? null : values[min]!,
    max_value: max < 0 ? null : values[max]!,
    min_step: min < 0 ? null : steps[min]!,
    max_step: max < 0 ? null : steps[max]!,
    first_wall: chunks[0]!.wallTimes[0]!,
  };
}
