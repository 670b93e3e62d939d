import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from '../faults.ts';
import { s3Faults } from '../s3-proxy.ts';
import type { RunShape } from '../workload.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { drained, type Trial, trial } from './trial.ts';

/** Ranges that are large enough to become objects. */
const shape = (random: () => number): RunShape => ({
  events: 4_000 + Math.floor(random() * 3_000),
  tags: 1,
  pace: { minBytes: 66_000, maxBytes: 150_000, pauseMs: 150 },
  media: 12,
});

/**
 * The object store fails, rejects, truncates, damages and delays, first in each way alone and then
 * in all ways together.
 */
export const badObjectStore: DegradedScenario = {
  test: 63,
  name: 'an object store that fails in every way',
  run: (options) =>
    trial(options, { stack: { s3Faults: true }, workload: { shape, lanes: 5, timeoutMs: 60_000 } }, async (parts) => {
      const { stack, report, prober } = parts;
      const { s3Faults: store } = stack;
      await prober.wellAfter(performance.now());
      const slowMs = options.full ? 10_000 : 2_000;
      for (const kinds of [...s3Faults.map((kind) => [kind]), s3Faults]) {
        store.plan = { chance: 0.4, kinds, slowMs };
        await sleep(options.full ? 20_000 : 2_500);
      }
      store.plan = { chance: 0, kinds: [] };
      const visible = await drained(parts);
      const effects = Object.entries(store.effects);
      report.figure(`${store.requests} requests to the store; ${effects.map(([kind, count]) => `${kind} × ${count}`).join(', ')}`);
      report.figure(`everything acknowledged visible ${ms(visible)} after the store recovered`);
      for (const [kind, count] of effects) report.must(count > 0, `${kind} did not happen`);
      report.mustTake('everything visible', visible, 15_000);
      await checkObjects(parts);
    }),
};

interface ReferredObject {
  readonly tenant_id: string;
  readonly object_key: string;
}

/**
 * Checks that every referenced object exists. The checker verifies the objects' content by reading
 * every file.
 */
async function checkObjects(parts: Trial): Promise<void> {
  const { report } = parts;
  await parts.workload.finish();
  // Segments are still being joined into originals, and their objects are deleted after their rows.
  // The check therefore counts missing objects only if the rows do not change during the check.
  for (let looks = 1; ; looks++) {
    const rows = await referredObjects(parts);
    const missing = await withoutObject(parts, rows);
    if (!isSame(rows, await referredObjects(parts))) {
      if (looks === maxLooks) return report.must(false, `rows with objects still changed at attempt ${looks}`);
      await sleep(1_000);
      continue;
    }
    const counts = kinds.map((kind) => [kind, rows.filter(({ object_key: key }) => key.startsWith(`${kind}/`)).length] as const);
    const summary = counts.map(([kind, count]) => `${kind} × ${count}`).join(', ');
    report.figure(`rows reference ${rows.length} objects (${summary}), ${missing.length} of them are missing (attempt ${looks})`);
    for (const [kind, count] of counts) report.must(count > 0 || kind === 'segment', `no row references an object of the kind ${kind}`);
    return report.must(missing.length === 0, `${missing.length} rows without an object, e.g. ${missing[0]?.object_key}`);
  }
}

const maxLooks = 60;
/** Key prefixes. By the time of the check, all segments may have been joined into originals. */
const kinds = ['segment', 'original', 'tensor', 'blob'] as const;

function isSame(before: readonly ReferredObject[], after: readonly ReferredObject[]): boolean {
  const known = new Set(before.map(({ tenant_id: tenant, object_key: key }) => `${tenant}/${key}`));
  return after.length === known.size && after.every(({ tenant_id: tenant, object_key: key }) => known.has(`${tenant}/${key}`));
}

function referredObjects({ stack }: Trial): Promise<ReferredObject[]> {
  return administer<ReferredObject>(
    stack,
    `select tenant_id, object_key from segment where object_key is not null
     union select tenant_id, original_key from event_file where original_key is not null
     union select tenant_id, object_key from tensor_value where object_key is not null
     union select tenant_id, 'blob/' || encode(blob, 'hex') from blob_sequence_value, unnest(blob_sha256) blob where blob is not null`,
  );
}

async function withoutObject({ stack }: Trial, rows: readonly ReferredObject[]): Promise<ReferredObject[]> {
  const { bucket } = stack.parts.bucket;
  const gone: ReferredObject[] = [];
  for (const row of rows) if (!(await stat(join(stack.s3.folder, bucket, row.tenant_id, row.object_key)).catch(() => null))) gone.push(row);
  return gone;
}
