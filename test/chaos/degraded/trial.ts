import { setTimeout as sleep } from 'node:timers/promises';
import { Reader } from '../reader.ts';
import { ChaosClient } from '../client.ts';
import { Report, type ScenarioOptions } from './report.ts';
import { Stack, type StackOptions } from '../stack.ts';
import { Workload, type WorkloadOptions } from '../workload.ts';
import { checkedLine } from '../scenario.ts';
import { Prober } from './prober.ts';

/** A system under load, with a prober, that a scenario disturbs. */
export interface Trial {
  readonly stack: Stack;
  readonly workload: Workload;
  /** Requests a file's offset (upload) and an experiment (read), ten times a second. */
  readonly prober: Prober;
  readonly report: Report;
}

/** The parts of a trial. */
export interface TrialOptions {
  readonly stack?: Omit<StackOptions, 'seed'>;
  readonly workload?: Partial<WorkloadOptions>;
}

/**
 * Starts a system with clients that upload (by default with one process of each kind, so that no
 * process can take over from another), calls `body`, then lets the clients finish, and compares
 * everything that was acknowledged and logged with the stored data. Violations become faults of the
 * report.
 */
export async function trial(
  options: ScenarioOptions,
  { stack: stackOptions, workload: workloadOptions }: TrialOptions,
  body: (trial: Trial) => Promise<void>,
): Promise<Report> {
  const { seed, timeFactor } = options;
  const report = new Report(options);
  const stack = await Stack.start({ seed, timeFactor, uploads: 1, ingests: 1, reads: 1, ...stackOptions });
  try {
    const workload = new Workload(stack, { seed, lanes: 8, timeoutMs: 10_000, giveUpMs: 240_000, ...workloadOptions }).start();
    const prober = await startProber(stack, workload);
    try {
      await body({ stack, workload, prober, report });
    } catch (error) {
      await workload.close(); // It would never end.
      throw error;
    } finally {
      await prober.stop();
    }
    await workload.finish();
    prober.checkAll(report, workload.log.entries);
    const result = await workload.check();
    report.figure(workload.summary.replaceAll('\n', '; '));
    report.figure(`${checkedLine(result)}; ${result.violations.length} violations`);
    for (const { kind, detail } of result.violations.slice(0, 20)) report.must(false, `${kind}: ${detail}`);
    await workload.close();
    return report;
  } finally {
    await stack.dispose();
  }
}

async function startProber({ url, token }: Stack, workload: Workload): Promise<Prober> {
  const client = new ChaosClient({ url, token, log: workload.log, random: Math.random });
  const experimentId = await client.createExperiment('probe');
  const { file_id: fileId } = await client.json<{ file_id: string }>('POST', `/experiments/${experimentId}/files`, {
    run: 'probe',
    name: 'events.out.tfevents.1',
  });
  client.close();
  return new Prober(url, token, [
    { method: 'HEAD', path: `/files/${fileId}` },
    { method: 'GET', path: `/experiments/${experimentId}` },
  ]);
}

/**
 * Returns the milliseconds until everything acknowledged so far is visible to readers; NaN if this
 * takes longer than `timeLimitMs`.
 */
export async function drained({ stack, workload }: Pick<Trial, 'stack' | 'workload'>, timeLimitMs = 60_000): Promise<number> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const began = performance.now();
  const experiments = [...new Set(workload.files.map(({ experimentId }) => experimentId))];
  const wanted = new Map<string, number>();
  for (const id of experiments) wanted.set(id, (await frontier(reader, id)).acknowledged_epoch);
  for (const [id, epoch] of wanted) {
    while ((await frontier(reader, id)).epoch < epoch) {
      if (performance.now() - began > timeLimitMs) return NaN;
      await sleep(50);
    }
  }
  return performance.now() - began;
}

/**
 * Returns the milliseconds until more of the currently pending data becomes visible, in any
 * experiment; 0 if nothing is pending, NaN if there is no progress within `timeLimitMs`.
 */
export async function resumes({ stack, workload }: Pick<Trial, 'stack' | 'workload'>, timeLimitMs = 60_000): Promise<number> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const began = performance.now();
  const behind = new Map<string, number>();
  for (const id of new Set(workload.files.map(({ experimentId }) => experimentId))) {
    const { epoch, acknowledged_epoch: acknowledged } = await frontier(reader, id);
    if (epoch < acknowledged) behind.set(id, epoch);
  }
  if (behind.size === 0) return 0;
  while (performance.now() - began < timeLimitMs) {
    for (const [id, epoch] of behind) if ((await frontier(reader, id)).epoch > epoch) return performance.now() - began;
    await sleep(50);
  }
  return NaN;
}

function frontier(reader: Reader, experimentId: string): Promise<{ epoch: number; acknowledged_epoch: number }> {
  return reader.json(`/experiments/${experimentId}/frontier`);
}
