import { type EventSpec, writeEventFile } from '#testing';
import { Reader } from '../reader.ts';
import { ChaosClient } from '../client.ts';
import { administer } from '../faults.ts';
import { within } from '../workload.ts';
import { ms } from './prober.ts';
import type { Scenario } from './report.ts';
import { type Trial, trial } from './trial.ts';

const steps = 120;
const poisonedStep = 70;

/** Records that Postgres refuses every time, in some runs among many: each is put aside with its reason, and everything else goes on. */
export const poisonRecord: Scenario = {
  test: 47,
  name: 'a record that fails every time',
  run: (options) =>
    trial(options, { workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      const { stack, workload, report } = parts;
      // As it would refuse something that slipped past every check of ours.
      await administer(stack, `alter table series add constraint poison check (tag <> 'poison')`);
      const began = performance.now();
      const runs = options.full ? 20 : 3;
      const client = new ChaosClient({ url: stack.url, token: stack.token, log: workload.log, random: Math.random });
      const experimentId = await client.createExperiment('poison');
      for (let run = 0; run < runs; run++) await sendPoisoned(client, experimentId, `run-${run}`);
      client.close();
      const empty = await within(240_000, async () => (await pendingOf(parts, experimentId).catch(() => null)) === 0);
      report.must(empty, 'pending did not return to 0');
      report.figure(`${runs} poisoned runs: nothing pending ${ms(performance.now() - began)} after they were sent`);
      await judge(parts, experimentId, runs);
    }),
};

async function sendPoisoned(client: ChaosClient, experimentId: string, run: string): Promise<void> {
  const logged = (step: number): Record<string, number> => (step === poisonedStep ? { poison: 1 } : { loss: step });
  const events: EventSpec[] = Array.from({ length: steps }, (_, step) => ({ step, scalars: logged(step) }));
  const bytes = Buffer.from(writeEventFile(events));
  const plan = { seed: 0, number: 0, run, name: 'events.out.tfevents.1', fromStep: 0, events: steps, tags: ['loss'] };
  const file = await client.announce(experimentId, plan, bytes);
  await client.sendFrom(file, bytes, 0, { minBytes: bytes.length, maxBytes: bytes.length, pauseMs: 0 });
  await client.complete(file, bytes);
}

async function pendingOf({ stack }: Trial, experimentId: string): Promise<number> {
  const [row] = await administer<{ count: string }>(stack, 'select count(*) from pending_segment where experiment_id = $1', [experimentId]);
  return Number(row!.count);
}

async function judge({ stack, report }: Trial, experimentId: string, runs: number): Promise<void> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const { problems } = await reader.json<{ problems: { reason: string; detail: string }[] }>(
    `/experiments/${experimentId}/problems?page_size=1000`,
  );
  const told = problems.filter(({ reason, detail }) => reason === 'quarantined' && detail.includes('poison'));
  report.figure(`put aside with a reason: ${told.length}, e.g. “${told[0]?.detail ?? ''}”`);
  report.must(
    problems.length === runs && told.length === runs,
    `${told.length} of ${runs} records are told with their reason, of ${problems.length} problems`,
  );
  const points = await reader.points(experimentId);
  const wanted = Array.from({ length: steps }, (_, step) => step).filter((step) => step !== poisonedStep);
  for (let run = 0; run < runs; run++) {
    const stored = (points.get(`run-${run}\0loss`) ?? []).map(({ step }) => step);
    report.must(stored.join() === wanted.join(), `run-${run}: ${stored.length} of ${wanted.length} good points are stored`);
  }
  const tries = stack.of('ingest').map(({ output }) => output.split('could not be ingested').length - 1);
  const all = tries.reduce((sum, count) => sum + count, 0);
  report.figure(`${(all / runs).toFixed(1)} tries a poisoned run: five of the whole batch, then halves of it`);
  report.must(all >= 5 * runs, `only ${all} tries were made`);
}
