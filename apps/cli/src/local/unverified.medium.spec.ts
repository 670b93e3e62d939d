import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { Report } from '../report.ts';
import { dryRun } from '../verbs/dry-run.ts';
import { countPoints } from './count-points.ts';
import { pathFilter } from './path-filter.ts';
import { scan } from './scan.ts';

let folder: string | null = null;
afterEach(() => {
  if (folder !== null) rmSync(folder, { recursive: true });
});

/** 50 points, with wrong data checksums in these records. */
async function logWith(isBad: (record: number) => boolean): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'unverified-'));
  mkdirSync(join(folder, 'r'));
  const specs = Array.from({ length: 50 }, (_, step) => ({ step, wallTime: 1 + step, scalars: { loss: step } }));
  const bytes = Buffer.from(writeEventFile([{ wallTime: 1, fileVersion: 'brain.Event:2' }, ...specs]));
  for (let at = 0, record = 0; at < bytes.length; record++) {
    at += 16 + bytes.readUInt32LE(at);
    if (isBad(record)) bytes[at - 1]! ^= 0x55;
  }
  const path = join(folder, 'r', 'events.out.tfevents.1');
  writeFileSync(path, bytes);
  return path;
}

it('plotline reads a log with wrong data checksums like the service, and a dry run reports it', async () => {
  const path = await logWith(() => true);
  const { series, records, unverified } = await countPoints([{ path, bytes: 1e9, name: 'f', version: 1 }]);
  expect([series[0]!.points, records, unverified]).toEqual([50, [51], [51]]);
  let output = '';
  const sink = { write: (part: string) => (output += part) };
  expect(await dryRun(folder!, await scan(folder!, pathFilter([], []), { followLinks: false }), new Report(false, sink, sink))).toBe(0);
  expect(output).toContain('50 points');
  expect(output).toContain('its data checksums are wrong. Its records are whole events, and are read as unverified.');
});

it('plotline skips a single damaged record', async () => {
  const path = await logWith((record) => record === 7);
  const { series, unverified, problems } = await countPoints([{ path, bytes: 1e9, name: 'f', version: 1 }]);
  expect([series[0]!.points, unverified, problems[0]!.map(({ reason }) => reason)]).toEqual([49, [0], ['data-checksum']]);
});
