import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoEvents, demoRuns, eventRecords, firstRecords, lastRecord, liveRun, steadyTimes } from './sweep.ts';

/** How many runs train at the same time, as on a machine with four GPUs. */
const lanes = 4;
const secondsPerRun = demoEvents + 60;
/** How many events of the growing run exist from the start. */
const firstLiveEvents = 250;
const liveFileName = 'events.out.tfevents.demo.v2';

/**
 * The log directory of the demo's sweep below `folder`, created on the first call. It contains 23
 * runs from the last hours, and one that has just started.
 */
export async function writeSampleLogs(folder: string): Promise<string> {
  const logdir = join(folder, 'vit-sweep');
  const isThere = await readFile(liveFile(logdir)).then(
    () => true,
    () => false,
  );
  if (isThere) return logdir;
  // The folder is either complete or absent, because it is written elsewhere first
  const draft = `${logdir}.part`;
  await rm(draft, { recursive: true, force: true });
  const now = Math.floor(Date.now() / 1000);
  const rounds = Math.ceil(demoRuns.length / lanes);
  for (const [index, run] of demoRuns.entries()) {
    const isLive = index === liveRun;
    const start = isLive ? now - firstLiveEvents : now - (rounds - Math.floor(index / lanes)) * secondsPerRun - 5 * (index % lanes);
    const events = [...eventRecords(run, steadyTimes(start))];
    const records = isLive
      ? [...firstRecords(run, start), ...events.slice(0, firstLiveEvents)]
      : [...firstRecords(run, start), ...events, lastRecord(run, start + demoEvents)];
    const file = isLive ? liveFile(draft) : join(draft, run.name, `events.out.tfevents.${start}.demo.v2`);
    await mkdir(join(draft, run.name), { recursive: true });
    await writeFile(file, Buffer.concat(records));
  }
  await rm(logdir, { recursive: true, force: true });
  await rename(draft, logdir);
  return logdir;
}

/** Adds one event per second to the growing run, until it is complete or interrupted. */
export async function growLiveRun(logdir: string, interrupted: AbortSignal): Promise<void> {
  const run = demoRuns[liveRun]!;
  const file = liveFile(logdir);
  const written = countRecords(await readFile(file));
  const seconds = (): number => Date.now() / 1000;
  let left = written === null ? demoEvents : written - firstRecords(run, 0).length;
  if (left >= demoEvents) return; // complete, or cut off by a crash
  for (const record of eventRecords(run, seconds)) {
    if (left-- > 0) continue;
    if (!(await pause(interrupted))) return;
    await appendFile(file, record);
  }
  await appendFile(file, lastRecord(run, seconds()));
}

function liveFile(logdir: string): string {
  return join(logdir, demoRuns[liveRun]!.name, liveFileName);
}

/** The number of records in an event file; null if the last record is cut off. */
function countRecords(bytes: Buffer): number | null {
  let count = 0;
  let at = 0;
  for (; at + 12 <= bytes.length; count++) at += Number(bytes.readBigUInt64LE(at)) + 16;
  return at === bytes.length ? count : null;
}

/** Waits a second. Returns false if it is interrupted. */
function pause(interrupted: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (interrupted.aborted) return resolve(false);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      interrupted.removeEventListener('abort', stop);
      resolve(true);
    }, 1_000);
    interrupted.addEventListener('abort', stop, { once: true });
  });
}
