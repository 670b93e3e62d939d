import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ExperimentId } from '#model';
import { EventRecords } from '#points';
import { crc32c } from '#records';
import type { Api } from '../http/api.ts';
import { checkServer } from '../http/check-server.ts';
import { asArray, asObject, experimentIdField, type Json } from '../http/json.ts';
import { waitUntilVisible } from '../upload/wait-visible.ts';

/** The phases of a round, in order. */
export const probePhases = ['create', 'upload', 'visible', 'read', 'delete'] as const;

/** One of {@link probePhases}. */
export type ProbePhase = (typeof probePhases)[number];

/**
 * The result of a round: the duration of each successful phase in seconds, and the phase that
 * failed.
 */
export interface ProbeResult {
  readonly seconds: Readonly<Partial<Record<ProbePhase, number>>>;
  readonly failed: { readonly phase: ProbePhase; readonly error: Error } | null;
}

const run = 'probe';
const tag = 'value';
/** The name of each round's experiment, which is deleted at the end of the round. */
const name = 'plotline probe';
/** How long a failed round waits for the deletion at its end. */
const cleanMs = 10_000;

/**
 * Creates an experiment, uploads an event file with one point, waits until it is visible, reads it
 * back, and deletes the experiment. Never rejects. A phase fails if it takes longer than the
 * remaining time of `timeoutMs`. After any failure, deletes the experiment if possible.
 */
export async function probeRound(api: Api, timeoutMs: number): Promise<ProbeResult> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    deadline.addEventListener('abort', () => reject(new Error(`the round took longer than ${timeoutMs / 1_000} s`)), { once: true });
  });
  late.catch(() => undefined); // it may reject after the round, when nothing handles it
  const seconds: Partial<Record<ProbePhase, number>> = {};
  const state: { phase: ProbePhase } = { phase: 'create' };
  const timed = async <T>(next: ProbePhase, work: Promise<T>): Promise<T> => {
    state.phase = next;
    const since = performance.now();
    const result = await Promise.race([work, late]);
    seconds[next] = (performance.now() - since) / 1_000;
    return result;
  };
  let experimentId: ExperimentId | null = null;
  try {
    const made = await timed('create', create(api, deadline));
    experimentId = experimentIdField(made, 'id');
    const value = Math.fround(Math.random()); // differs in each round, so an old response is noticed
    const epoch = await timed('upload', upload(api, experimentId, value));
    await timed('visible', waitUntilVisible(api, experimentId, epoch, { say: () => undefined, signal: deadline }));
    await timed('read', readBack(api, experimentId, value));
    await timed('delete', remove(api, experimentId, deadline));
    return { seconds, failed: null };
  } catch (error) {
    const failed = { phase: state.phase, error: error instanceof Error ? error : new Error(String(error)) };
    if (experimentId !== null && failed.phase !== 'delete') await clean(api, experimentId);
    return { seconds, failed };
  }
}

/**
 * Deletes the experiment of a failed round if the service responds within `cleanMs`. Does not
 * report an error: the round has already failed for an earlier reason.
 */
async function clean(api: Api, experimentId: ExperimentId): Promise<void> {
  const soon = AbortSignal.timeout(cleanMs);
  const over = new Promise<void>((resolve) => soon.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([remove(api, experimentId, soon).catch(() => undefined), over]);
}

/** Begins like `plotline upload`: the service returns the upload addresses. */
async function create(api: Api, signal: AbortSignal): Promise<Json> {
  await checkServer(api, () => undefined);
  return api.send('POST', '/experiments', 'Creating an experiment', { name }, randomUUID(), signal);
}

async function upload(api: Api, experimentId: ExperimentId, value: number): Promise<number> {
  const wallTime = Date.now() / 1_000;
  const records = new EventRecords();
  records.version(wallTime);
  records.scalar({ tag: Buffer.from(tag), step: 1n, wallTime, metadata: null }, value);
  const body = records.finish();
  const digest = crc32c(0, body);
  const { fileId } = await api.announce(experimentId, { run, name: 'events.out.tfevents.1' });
  const range = { offset: 0, body, digest, encoding: null, whole: false, divisible: false };
  const { epoch } = await api.append(fileId, range);
  return Math.max(epoch, await api.complete(fileId, body.length, digest));
}

async function readBack(api: Api, experimentId: ExperimentId, value: number): Promise<void> {
  const response = await api.read(`/experiments/${experimentId}/scalars/query`, 'Reading the point', { sampling: 'raw' });
  const series = asArray(response['series'], 'series').map((item) => asObject(item, 'series'));
  const found = series.map(({ run: ofRun, tag: ofTag, columns }) => {
    const { step, value: values } = asObject(columns, 'columns');
    return { run: ofRun, tag: ofTag, step, value: values };
  });
  if (!isDeepStrictEqual(found, [{ run, tag, step: [1], value: [value] }]))
    throw new Error(`the service returned data that differs from the uploaded data: ${JSON.stringify(found).slice(0, 200)}`);
}

async function remove(api: Api, experimentId: ExperimentId, signal: AbortSignal): Promise<void> {
  await api.send('DELETE', `/experiments/${experimentId}`, 'Deleting the experiment', undefined, undefined, signal);
}
