import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { awaitPostgres, killBackend, killPostgres } from '../faults.ts';
import { quantile } from '../visibility.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { trial } from './trial.ts';

/**
 * Kills the postmaster and single backends, alternating, during an upload. A supervisor restarts
 * Postgres.
 */
export const postgresKills: DegradedScenario = {
  test: 4,
  name: 'kill -9 of Postgres during an upload',
  run: (options) =>
    trial(options, {}, async ({ stack, prober, report }) => {
      const kills = options.full ? 50 : 4;
      const random = seededRandom(options.seed);
      const recoveries: number[] = [];
      const began = performance.now();
      let observed = 0;
      for (let kill = 0; kill < kills; kill++) {
        const fault = kill % 2 === 0 ? killPostgres : killBackend;
        // Resolves when Postgres responds again.
        observed += (await fault.draw(random)(stack)).observed;
        await awaitPostgres(stack);
        recoveries.push(await prober.wellAfter(performance.now()));
        await sleep(random() * 1_000);
      }
      recoveries.sort((a, b) => a - b);
      report.figure(
        `${observed} kills; normal ${ms(quantile(recoveries, 0.5))} after Postgres is ready (p50), maximum ${ms(recoveries.at(-1)!)}`,
      );
      report.must(observed === kills, `only ${observed} of ${kills} kills were observed`);
      report.mustTake('normal after Postgres was ready', recoveries.at(-1)!, 5_000);
      prober.judge('while Postgres was killed', began, performance.now(), 2_000, { mustReject: 'an append' });
    }),
};
