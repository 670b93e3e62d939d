import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../workload.ts';
import type { LinkName } from '../stack.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { drained, resumes, trial } from './trial.ts';

const links = [
  'upload-postgres',
  'read-postgres',
  'ingest-postgres',
  'ingest-redis',
  'upload-redis',
  'ingest-s3',
  'upload-s3',
] as const satisfies readonly LinkName[];

/**
 * Each kind of process is partitioned from each backend in turn: packets vanish silently for a
 * while, then the link recovers.
 */
export const partitions: DegradedScenario = {
  test: 66,
  name: 'partitions between processes and backends',
  run: (options) =>
    trial(options, { stack: { links } }, async (parts) => {
      const { stack, prober, report } = parts;
      await prober.wellAfter(performance.now());
      for (const name of links) {
        const link = stack.link(name);
        const before = link.effects.held;
        link.faults = { partition: true };
        await sleep(options.full ? 30_000 : 4_000);
        // Only large ranges are stored in S3, and these are rare.
        await within(20_000, () => link.effects.held > before);
        const held = link.effects.held - before;
        link.faults = {};
        const healed = performance.now();
        const responses = await prober.wellAfter(healed);
        const resumed = responses + (await resumes(parts));
        const visible = resumed + (await drained(parts));
        report.figure(
          `${name}: ${held} pieces held back; normal ${ms(responses)} later, work resumes ${ms(resumed)} later, everything acknowledged visible ${ms(visible)} later`,
        );
        report.must(held > 0, `${name}: no traffic hit the partition`);
        report.mustTake(`${name}: normal again`, responses, 15_000);
        report.mustTake(`${name}: everything visible`, visible, 15_000);
      }
      const restarts = stack.processes.flatMap(({ deaths }) => deaths).length;
      report.must(restarts === 0, `${restarts} processes ended`);
    }),
};
