import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec, writeEventFile } from '#testing';
import { listSeries, readExperiment } from '../e2e/rest-run.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import { buildPrevious, hasPrevious } from './previous-version.ts';

/*
 * Runs only if ROLLING_POINTS is set, because it builds the previous version first. For the full
 * test, set ROLLING_POINTS=5000000 ROLLING_READERS=50.
 */
const points = Number(process.env.ROLLING_POINTS ?? 60_000);
const readers = Number(process.env.ROLLING_READERS ?? 6);
const files = 6;
const perFile = Math.ceil(points / files);
/** Maximum points that are read back one by one; beyond this, only the counts are compared. */
const maxRead = 200_000;

const bytes = writeEventFile(
  Array.from({ length: perFile }, (_, step): EventSpec => ({ step, wallTime: 1_700_000_000 + step, simpleValues: { loss: step / 8 } })),
);

/** Statuses after which a client retries. */
const passing = new Set([429, 503]);

/** Responses that clients got. */
class Responses {
  readonly counts = new Map<string, number>();
  /** Responses after which a client gives up. */
  readonly failures: string[] = [];

  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Returns the response to a request; null if the caller must retry it. */
  async of(work: () => Promise<Response>): Promise<Response | null> {
    const response = await work().catch(() => null);
    this.note(response ? String(response.status) : 'cut');
    if (response?.ok) return response;
    if (response && !passing.has(response.status)) this.failures.push(`${response.status} ${response.url} ${await response.text()}`);
    else await response?.body?.cancel();
    return null;
  }
}

const hasHistory = process.env.ROLLING_POINTS !== undefined && (await hasPrevious());

describeWith(['postgres', 'redis', 's3'], 'a rolling update to this version and back, under load', () => {
  let service: Service;

  beforeAll(async () => {
    if (hasHistory) service = await Service.start({ processes: 'apart', build: await buildPrevious() });
  });
  afterAll(() => service?.dispose());

  it.skipIf(!hasHistory)('fails no client, and loses and duplicates nothing', { timeout: 1_800_000 }, async () => {
    const sender = await Sender.start(service);
    const responses = new Responses();
    let rolling = true;
    /** While versions change, all but the last tenth of each file is sent in small ranges. */
    const sendFile = async (run: string): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ run, name: 'events.out.tfevents.1' });
      let announced: Response | null = null;
      while (!announced) announced = await responses.of(() => service.fetch(`${sender.path}/files`, { method: 'POST', headers, body }));
      const { file_id: fileId } = (await announced.json()) as { file_id: string };
      const small = Math.ceil(bytes.length / 2_000);
      for (let at = 0; at < bytes.length && responses.failures.length === 0;) {
        const nearlyAll = at > bytes.length * 0.9;
        if (rolling && nearlyAll) await sleep(100);
        else {
          const range = bytes.subarray(at, at + (rolling ? small : 4 * 1024 * 1024));
          const taken = await responses.of(() => sender.append(fileId, at, range));
          if (taken) at = Number(taken.headers.get('upload-offset'));
          else at = await offsetOf(fileId, at);
          await sleep(20);
        }
      }
      const complete = (): Promise<void> => sender.complete(fileId, bytes);
      while (
        responses.failures.length === 0 &&
        !(await complete().then(
          () => true,
          () => false,
        ))
      )
        await sleep(50);
    };
    /** A range may be stored even if its response was cut off. */
    const offsetOf = async (fileId: string, before: number): Promise<number> => {
      await sleep(50);
      const position = await responses.of(() => service.fetch(`/files/${fileId}`, { method: 'HEAD' }));
      return position ? Number(position.headers.get('upload-offset')) : before;
    };
    const read = async (): Promise<void> => {
      while (rolling) {
        const response = await responses.of(() => service.fetch(`${sender.path}/series`));
        await response?.body?.cancel();
        await sleep(100);
      }
    };
    const uploads = Array.from({ length: files }, (_, i) => sendFile(`run-${i}`));
    const reading = Array.from({ length: readers }, read);
    const admin = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
    await admin.connect();
    const migrations = async (): Promise<number> => {
      const { rows } = await admin.query<{ count: number }>('select count(*)::int as count from schema_migration');
      return rows[0]!.count;
    };
    try {
      const before = await migrations();
      await service.apart.roll(null);
      const after = await migrations();
      expect(after).toBeGreaterThan(before); // otherwise the versions share a schema, and the test shows less
      await service.apart.roll(await buildPrevious());
      expect(await migrations()).toBe(after); // the older migrate does not touch it
    } finally {
      rolling = false;
      await admin.end();
    }
    await Promise.all([...uploads, ...reading]);
    if (process.env.ROLLING_POINTS) process.stderr.write(`answers: ${JSON.stringify(Object.fromEntries(responses.counts))}\n`);
    expect(responses.failures).toEqual([]);
    expect(responses.counts.get('cut') ?? 0).toBe(0); // a proxy would answer 502
    await sender.visible();
    const all = await listSeries(service, sender.experimentId);
    expect(all.map((series) => [series.run, series.points, series.superseded_points])).toEqual(
      Array.from({ length: files }, (_, i) => [`run-${i}`, perFile, 0]),
    );
    if (points <= maxRead) {
      const runs = await readExperiment(service, sender.experimentId);
      for (let i = 0; i < files; i++) {
        const values = runs
          .get(`run-${i}`)!
          .get('loss')!
          .scalars.map(({ step, value }) => [Number(step), value]);
        expect(values).toEqual(Array.from({ length: perFile }, (_, step) => [step, step / 8]));
      }
    }
  });
});
