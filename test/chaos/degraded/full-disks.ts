import { chown, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '#embedded-postgres';
import { administer, awaitPostgres } from '../faults.ts';
import { within } from '../workload.ts';
import { fullStateFolder } from './full-state-folder.ts';
import { moveTables } from './move-tables.ts';
import { ms } from './prober.ts';
import { type DegradedScenario, Report, type ScenarioOptions } from './report.ts';
import { SmallDisk } from './small-disk.ts';
import { tell } from './tell-redis.ts';
import { drained, type Trial, trial } from './trial.ts';

/**
 * The disks with the tables, the WAL, Redis' log and the CLI's state fill up, one at a time, and
 * are freed later.
 */
export const fullDisks: DegradedScenario = {
  test: 64,
  name: 'disks full, then freed',
  run: async (options) => {
    const report = new Report(options);
    for (const part of [tablesAndRedis, wal]) {
      const { figures, faults } = await part(options);
      report.figures.push(...figures);
      report.faults.push(...faults);
    }
    return report;
  },
};

async function tablesAndRedis(options: ScenarioOptions): Promise<Report> {
  const tables = await SmallDisk.mount(64);
  const redisDisk = await SmallDisk.mount(4);
  try {
    const redis = { appendonly: 'yes', dir: redisDisk.folder, 'auto-aof-rewrite-percentage': '0' };
    return await trial(options, { stack: { redis }, workload: { lanes: 4, pauseMs: 100 } }, async (parts) => {
      await parts.prober.wellAfter(performance.now());
      await moveTables(parts.stack.parts.database, (statement) => administer(parts.stack, statement), tables);
      await whileFull(parts, 'tables', tables, options, async () => parts.workload.log.entries.some(({ status }) => status === 507));
      await whileFull(parts, "Redis' log", redisDisk, options, async () =>
        (await tell(parts.stack.redis.port, 'INFO persistence')).includes('aof_last_write_status:err'),
      );
      const unacknowledged = parts.workload.log.entries.filter(({ status }) => ![204, 409, 429, 503, 507].includes(Number(status)));
      parts.report.must(unacknowledged.length === 0, `responses that no client can act upon: ${JSON.stringify(unacknowledged[0])}`);
      await fullStateFolder(parts);
    });
  } finally {
    await tables.unmount();
    await redisDisk.unmount();
  }
}

/**
 * Fills a disk until `observed`, keeps it full for a few seconds, and frees it; everything must
 * recover without help.
 */
async function whileFull(
  parts: Trial,
  what: string,
  disk: SmallDisk,
  { full }: ScenarioOptions,
  observed: () => Promise<boolean>,
): Promise<void> {
  const { workload, prober, report } = parts;
  const first = workload.log.entries.length;
  await disk.fill();
  const struck = await within(60_000, observed);
  await sleep(full ? 15_000 : 2_000);
  await disk.freeSpace();
  const freed = performance.now();
  const responses = await prober.wellAfter(freed);
  const visible = await drained(parts);
  const counts = Map.groupBy(workload.log.entries.slice(first), ({ status }) => status);
  report.figure(
    `${what}: ${[...counts].map(([status, entries]) => `${status} × ${entries.length}`).join(', ')}; ` +
      `normal ${ms(responses)} after the disk was freed, everything visible after ${ms(visible)}`,
  );
  report.must(struck, `${what}: no write hit the full disk`);
  report.mustTake(`${what}: normal again`, responses, 15_000);
  report.mustTake(`${what}: everything visible`, visible, 15_000);
}

/**
 * The WAL is on a separate disk. When that disk is full, Postgres panics and restarts, or its
 * supervisor restarts it, until the restart succeeds.
 */
async function wal(options: ScenarioOptions): Promise<Report> {
  const disk = await SmallDisk.mount(192);
  const database = await mkdtemp(join(tmpdir(), 'plotline-wal-'));
  try {
    await putWalOn(disk, database);
    const postgres = { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off' };
    return await trial(options, { stack: { database, postgres }, workload: { lanes: 4, pauseMs: 100 } }, async (parts) => {
      const { stack, prober, report } = parts;
      await prober.wellAfter(performance.now());
      await disk.fill();
      const panicked = await within(60_000, async () => {
        // Switches WAL segments until the disk has no space for another segment.
        await administer(stack, 'select pg_switch_wal()').catch(() => undefined);
        return (await readFile(join(database, 'postgres.log'), 'utf8')).includes('PANIC');
      });
      await sleep(options.full ? 15_000 : 3_000);
      await disk.freeSpace();
      const freed = performance.now();
      await awaitPostgres(stack);
      const ready = performance.now();
      const responses = await prober.wellAfter(ready);
      const visible = await drained(parts);
      report.figure(
        `WAL: ${panicked ? 'Postgres panicked' : 'no panic'}; it served ${ms(ready - freed)} after the disk was freed, the service ${ms(responses)} later, everything visible ${ms(visible)} later`,
      );
      report.must(panicked, 'WAL: Postgres did not hit the full disk');
      report.mustTake('WAL: normal after Postgres was ready', responses, 5_000);
      report.mustTake('WAL: everything visible', visible, 15_000);
    });
  } finally {
    await rm(database, { recursive: true, force: true });
    await disk.unmount();
  }
}

/** Initializes a cluster in `database` with its `pg_wal` on the disk. */
async function putWalOn(disk: SmallDisk, database: string): Promise<void> {
  const postgres = await startPostgres({ dataDir: database });
  await postgres.stop();
  const home = join(database, 'postgres/pg_wal');
  const { uid, gid } = await stat(home);
  await chown(disk.folder, uid, gid);
  const place = join(disk.folder, 'pg_wal');
  await cp(home, place, { recursive: true });
  await chown(place, uid, gid);
  for (const entry of await readdir(place, { recursive: true })) await chown(join(place, entry), uid, gid);
  await rename(home, `${home}.before`);
  await symlink(place, home);
}
