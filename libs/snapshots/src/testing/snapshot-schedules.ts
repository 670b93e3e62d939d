import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { BlobStore } from '#blobs';
import { parseTenantId, type TenantId } from '#model';
import { collectSnapshots } from '../collect-snapshots.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { snapshot } from '../snapshot.ts';
import type { SnapshotBlobs } from '../snapshot-place.ts';

/** A user of the snapshot in a schedule. */
interface Actor {
  /** The user dies before this call to the store; null if it survives. */
  readonly dies: number | null;
  /**
   * Milliseconds by which the clock advances when the user starts, and at each element that the
   * user yields.
   */
  readonly startsAfter: number;
  readonly takes: number;
  /** Whether the user removes expired data instead of using the snapshot. */
  readonly collects: boolean;
}

const actor: fc.Arbitrary<Actor> = fc.record({
  dies: fc.option(fc.integer({ min: 1, max: 14 }), { freq: 2 }),
  startsAfter: fc.integer({ min: 0, max: 800 }),
  takes: fc.integer({ min: 0, max: 300 }),
  collects: fc.boolean().chain((one) => (one ? fc.boolean() : fc.constant(false))),
});

/** Unfinished runs are taken over after this time. */
const expirySeconds = 1;
const elementsPerSource = 7;

/**
 * A world with one store; with `conditional: false`, the store overwrites objects that should only
 * be created.
 */
export interface ScheduledStore {
  readonly blobs: BlobStore;
  readonly conditional: boolean;
}

/**
 * For random writers, readers, collectors, deaths and clocks, and every order of their calls to the
 * store: every reader gets exactly one whole source, and at most one snapshot is final. At the end,
 * only its chunks are left. Every writer has a separate source, so a mixture would be detected.
 */
export function snapshotSchedules(make: () => Promise<ScheduledStore>): fc.IAsyncProperty<[fc.Scheduler, Actor[]]> {
  return fc.asyncProperty(fc.scheduler(), fc.array(actor, { minLength: 2, maxLength: 5 }), async (scheduler, actors) => {
    const { blobs, conditional } = await make();
    const tenantId = parseTenantId(randomUUID());
    const clock = { ms: 0 };
    const fingerprint = fingerprintOf(randomUUID());
    const now = async (): Promise<number> => clock.ms;
    const place = { blobs, tenantId, now };
    const use = async (number: number, { startsAfter, takes, collects }: Actor, store: SnapshotBlobs): Promise<void> => {
      await scheduler.schedule(Promise.resolve(), `start ${number}`);
      clock.ms += startsAfter;
      if (collects) {
        await collectSnapshots({ ...place, blobs: store, pendingExpirySeconds: expirySeconds });
        return;
      }
      const source = async function* (): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < elementsPerSource; i++) {
          clock.ms += takes;
          yield Buffer.from(`${number} ${i}`);
        }
      };
      const options = { ...place, blobs: store, fingerprint, pendingExpirySeconds: expirySeconds, chunkBytes: 12, writer: { splits: 2 } };
      const found: string[] = [];
      for await (const element of (await snapshot(source, options)).elements) found.push(Buffer.from(element).toString());
      const from = found[0]?.split(' ')[0];
      const whole = Array.from({ length: elementsPerSource }, (_, i) => `${from} ${i}`);
      if (found.join() !== whole.join()) throw new Error(`actor ${number} got ${found.join() || 'nothing'}`);
    };
    const sent = new Set<Promise<unknown>>();
    const ends = actors.map((one, number) => {
      const { store, death } = scheduledStore({ blobs, scheduler, number, dies: one.dies, conditional, sent });
      return Promise.race([use(number, one, store), death]);
    });
    await scheduler.waitFor(Promise.all(ends));
    // Calls of dead actors can still arrive.
    while (sent.size > 0) await scheduler.waitFor(Promise.allSettled(sent));
    await checkWhatIsLeft(place, fingerprint);
  });
}

async function checkWhatIsLeft(
  place: { blobs: BlobStore; tenantId: TenantId; now: () => Promise<number> },
  fingerprint: string,
): Promise<void> {
  const { blobs, tenantId } = place;
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of blobs.list(tenantId, `snapshot/${fingerprint}/`)) found.push(key);
    return found;
  };
  const later = async (): Promise<number> => (await place.now()) + expirySeconds * 1000 + 1;
  await collectSnapshots({ ...place, now: later, pendingExpirySeconds: expirySeconds });
  const ends: { key: string; complete: boolean; run_id: string; splits?: { number: number }[][] }[] = [];
  for (const key of (await keys()).filter((one) => one.includes('/final-')))
    ends.push({ key, ...(JSON.parse((await blobs.get(tenantId, key)).toString()) as { complete: boolean; run_id: string }) });
  const complete = ends.filter((end) => end.complete);
  if (complete.length > 1) throw new Error(`${complete.length} snapshots are final`);
  const chunks = (await keys()).filter((key) => /\/\d+-[0-9a-f]{16}-\d{8}$/.test(key));
  const [final] = complete;
  const listed = final?.splits?.flat().map(({ number }) => `${final.run_id}-${String(number).padStart(8, '0')}`) ?? [];
  const found = chunks.map((key) => key.replace(/^.*\/\d+-/, ''));
  if (found.sort().join() !== listed.sort().join()) throw new Error(`the chunks are ${found.join()}, and final lists ${listed.join()}`);
}

interface ScheduledCalls extends ScheduledStore {
  readonly scheduler: fc.Scheduler;
  readonly number: number;
  readonly dies: number | null;
  /** Calls that the store has not finished, including calls of dead actors. */
  readonly sent: Set<Promise<unknown>>;
}

/** The store as one actor sees it: the schedule orders each call and each response. */
function scheduledStore({ blobs, scheduler, number, dies, conditional, sent }: ScheduledCalls) {
  let calls = 0;
  let die: () => void = () => undefined;
  const death = new Promise<void>((resolve) => (die = resolve));
  const never = new Promise<never>(() => undefined);
  const call = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const isLast = ++calls === dies;
    if (dies !== null && calls > dies) return never;
    // The last call is sent, but its response is lost.
    if (isLast) die();
    const running = scheduler.schedule(Promise.resolve(), `${number} ${name}`).then(run);
    sent.add(running);
    const result = await running.finally(() => sent.delete(running));
    await scheduler.schedule(Promise.resolve(), `${number} ${name} is answered`);
    return isLast || (dies !== null && calls > dies) ? never : result;
  };
  const store: SnapshotBlobs = {
    get: (...args) => call('get', () => blobs.get(...args)),
    put: (...args) => call('put', () => blobs.put(...args)),
    putIfAbsent: (...args) =>
      call('putIfAbsent', async () => {
        if (conditional) return blobs.putIfAbsent(...args);
        await blobs.delete(args[0], args[1]);
        await blobs.put(...args);
        return true;
      }),
    delete: (...args) => call('delete', () => blobs.delete(...args)),
    list: (...args) => blobs.list(...args),
  };
  return { store, death };
}
