import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { becomeCaller, runForStranger } from '#admission';
import { createToken } from '#auth';
import { noSuchExperiment } from '#experiments';
import type { ExperimentId, RunId } from '#model';
import { tenantIdOf } from '#model/testing';
import { frontierChannel, type Store } from '#store';
import { describeWith } from '#testing';
import { addMember, browserOf } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';
import { FrontierWatch } from './frontier-watch.ts';

/** Accepts no listeners. */
class Full extends FrontierWatch {
  protected override readonly max = 2;
}

class Eight extends FrontierWatch {
  protected override readonly max = 8;
}

/** Notices changes only through notifications. */
class NeverPolls extends FrontierWatch {
  protected override readonly pollMs = 2 ** 31 - 1;
}

/** Polls idle experiments once a second. */
class Idles extends FrontierWatch {
  protected override readonly pollMs = 30;
  protected override readonly idlePollMs = 1_000;
  protected override readonly livelyMs = 100;
}

const asMember = <T>(account: string, work: () => T): T =>
  runForStranger('192.0.2.1', () => {
    becomeCaller(account, 'member');
    return work();
  });

/** Counts the transactions that a store starts. */
function countTransactions(store: Store) {
  const counted = vi.spyOn(store, 'withTenant');
  return { count: () => counted.mock.calls.length, stop: () => counted.mockRestore() };
}

describeWith(['postgres'], 'the frontier', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: ExperimentId;
  let runs: StoredRuns;
  let run: RunId;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
  });
  beforeEach(async () => {
    runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    run = await runs.run('r');
  });
  afterAll(() => service?.close());

  const frontier = (query = '') => service.call(tenant, 'GET', `/api/v1/experiments/${id}/frontier${query}`);
  const settle = () => runs.settle();
  const watch = () => service.app.get(FrontierWatch, { strict: false });
  const oneWait = (by: FrontierWatch, epoch: number) => by.waitFor(tenant.tenantId, id, epoch, 60_000, noSuchExperiment);

  it('rejects waits beyond the limits of a workspace and of the process, and frees what they held', async () => {
    const full = new Full(service.store);
    const wait = (account: string, timeoutMs: number) =>
      asMember(account, () => full.waitFor(tenant.tenantId, id, 9, timeoutMs, noSuchExperiment).catch(({ code }) => code));
    const first = asMember('first', () => full.subscribe(tenant.tenantId, id, () => undefined));
    expect(await wait('first', 30)).toBe('rate-limited');
    const second = asMember('second', () => full.subscribe(tenantIdOf(randomUUID()), id, () => undefined));
    expect(await wait('third', 30)).toBe('rate-limited');
    await sleep(100); // longer than they would have waited
    first();
    second();
    expect(full.listeners).toBe(0);
    await full.onModuleDestroy();
  });

  it('stops waiting when the client disconnects', async () => {
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${tenant.token}` };
    const waiting = fetch(`${service.base}/api/v1/experiments/${id}/frontier?wait_for=9&timeout=60`, { headers, signal: gone.signal });
    await expect.poll(() => watch().listeners).toBe(1);
    gone.abort();
    await expect(waiting).rejects.toThrow('abort');
    await expect.poll(() => watch().listeners, { timeout: 5_000 }).toBe(0);
  });

  it('is visible when every acknowledged byte is settled', async () => {
    expect((await frontier()).json).toEqual({
      epoch: 0,
      acknowledged_epoch: 0,
      acknowledged_bytes: 0,
      visible_bytes: 0,
      incomplete_tail_bytes: 0,
      rejected_bytes: 0,
      visible: true,
    });
    await runs.file(run, 'f1', { bytes: 100, parsed: 90, rejected: 7 });
    await runs.file(run, 'f2', { bytes: 50, parsed: 0, pending: true });
    expect((await frontier()).json).toEqual({
      epoch: 1,
      acknowledged_epoch: 2,
      acknowledged_bytes: 150,
      visible_bytes: 100,
      incomplete_tail_bytes: 10,
      rejected_bytes: 7,
      visible: false,
    });
  });

  it('is what was published, not what is settled', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    await settle();
    expect((await frontier()).json).toMatchObject({ epoch: 0, acknowledged_epoch: 1, visible_bytes: 100, visible: false });
    await runs.publish();
    expect((await frontier()).json).toMatchObject({ epoch: 1, visible: true });
  });

  it("divides listeners among accounts, however many one person's workspaces or visitors take", async () => {
    const eight = new Eight(service.store);
    const ends: (() => void)[] = [];
    const takeAll = (account: string, as: 'member' | 'visitor', place = '192.0.2.1'): number =>
      runForStranger(place, () => {
        becomeCaller(account, as);
        for (let taken = 0; ; taken++) {
          try {
            ends.push(eight.subscribe(tenantIdOf(randomUUID()), id, () => undefined)); // one workspace each
          } catch {
            return taken;
          }
        }
      });
    const visitors = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((place) => takeAll('owner', 'visitor', place));
    expect(visitors.reduce((sum, taken) => sum + taken, 0)).toBeLessThanOrEqual(5);
    expect(takeAll('owner', 'member')).toBeGreaterThanOrEqual(2);
    for (const end of ends) end();
    expect([eight.listeners, takeAll('person', 'member')]).toEqual([0, 6]);
    expect(takeAll('newcomer', 'member')).toBeGreaterThanOrEqual(1);
    for (const end of ends) end();
    await eight.onModuleDestroy();
  });

  it('costs one statement per poll for all watched experiments, and one callback for each that changed', async () => {
    const counting = new FrontierWatch(service.store);
    const looks = new Map<string, number>();
    const others = await Promise.all(
      Array.from({ length: 20 }, async (): Promise<ExperimentId> => (await StoredRuns.start(service, tenant)).experimentId),
    );
    for (const one of [id, ...others]) counting.subscribe(tenant.tenantId, one, () => looks.set(one, (looks.get(one) ?? 0) + 1));
    const all = (): number => [...looks.values()].reduce((sum, count) => sum + count, 0);
    const transactions = countTransactions(service.store);
    await expect.poll(() => Math.min(...[id, ...others].map((one) => looks.get(one) ?? 0)), { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    const [idle, polls] = [all(), transactions.count()];
    await expect.poll(() => transactions.count() - polls, { timeout: 10_000 }).toBeGreaterThanOrEqual(4); // polls that found nothing
    expect(all()).toBe(idle);
    await runs.file(run, 'f1', { bytes: 100 });
    await expect.poll(() => all(), { timeout: 10_000 }).toBeGreaterThan(idle);
    expect(others.every((one) => looks.get(one)! <= 2)).toBe(true);
    transactions.stop();
    await counting.onModuleDestroy();
  });

  it('polls an idle experiment rarely while notifications arrive, and finds a change without one', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const beats: string[] = [];
    const stop = await service.store.listen(frontierChannel, (text) => beats.push(text));
    const idles = new Idles(service.store);
    const looks: (number | undefined)[] = [];
    idles.subscribe(tenant.tenantId, id, (look) => looks.push(look?.frontier.epoch));
    // One poll, in a transaction, for each notification of the process to itself.
    await expect.poll(() => beats.length, { timeout: 20_000 }).toBeGreaterThan(3);
    const transactions = countTransactions(service.store);
    await expect
      .poll(
        async () => {
          const [sent, polls] = [beats.length, transactions.count()];
          await expect.poll(() => beats.length, { timeout: 20_000 }).toBeGreaterThan(sent + 2);
          return transactions.count() - polls - (beats.length - sent);
        },
        { timeout: 60_000 },
      )
      .toBeLessThanOrEqual(1);
    expect(new Set(beats).size).toBe(1);
    expect(looks.at(-1)).toBe(0);
    await settle();
    await runs.publish();
    await expect.poll(() => looks.at(-1), { timeout: 20_000 }).toBe(1);
    transactions.stop();
    await idles.onModuleDestroy();
    await stop();
  });

  it('polls everything often if notifications do not arrive', async () => {
    const beats: string[] = [];
    const stop = await service.store.listen(frontierChannel, (text) => beats.push(text));
    const deafened = vi.spyOn(service.store, 'listen').mockResolvedValue(async () => undefined);
    const idles = new Idles(service.store);
    idles.subscribe(tenant.tenantId, id, () => undefined);
    const transactions = countTransactions(service.store);
    await expect.poll(() => beats.length, { timeout: 20_000 }).toBeGreaterThan(5);
    const [sent, polls] = [beats.length, transactions.count()];
    await expect.poll(() => beats.length, { timeout: 20_000 }).toBeGreaterThan(sent + 5);
    expect(transactions.count() - polls).toBeGreaterThan(beats.length - sent + 4);
    transactions.stop();
    deafened.mockRestore();
    await idles.onModuleDestroy();
    await stop();
  });

  it('responds at once if the epoch is already visible', async () => {
    await runs.file(run, 'f1', { bytes: 100 });
    const { status, json } = await frontier('?wait_for=1&timeout=0'); // any request that waits is rejected
    expect([status, json.epoch]).toEqual([200, 1]);
  });

  it('waits until the epoch is visible, even without a notification', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const waiting = oneWait(watch(), 1);
    const responded = frontier('?wait_for=1&timeout=60');
    await settle();
    await runs.publish();
    expect((await waiting).epoch).toBe(1);
    expect((await responded).json.epoch).toBe(1);
  });

  it('is woken by a notification', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const listening = `select count(*)::int as n from pg_stat_activity where datname = current_database() and query like 'listen %' and state = 'idle'`;
    const before = (await service.sql(listening))[0]!['n'] as number;
    const never = new NeverPolls(service.store);
    const looks: (number | undefined)[] = [];
    const unsubscribe = never.subscribe(tenant.tenantId, id, (look) => looks.push(look?.frontier.epoch));
    const waiting = oneWait(never, 1);
    let woken = false;
    void waiting.then(() => (woken = true));
    // Each of the two listeners causes a reading; later readings are caused only by notifications.
    await expect.poll(() => looks).toEqual([0, 0]);
    await expect.poll(async () => (await service.sql(listening))[0]!['n']).toBe(before + 1);
    await settle();
    await runs.publish();
    expect((await frontier()).json.epoch).toBe(1);
    expect(woken).toBe(false);
    await runs.file(run, 'f2', { bytes: 100, pending: true });
    await settle();
    await runs.publish({ wake: true });
    expect((await waiting).epoch).toBe(2);
    unsubscribe();
    await never.onModuleDestroy();
  });

  it('can be awaited by every query', async () => {
    await runs.file(run, 'f1', { bytes: 100 });
    const lists = ['runs', 'series', 'files', 'problems', 'receipt', 'frontier'];
    const posts = ['scalars', 'tensors', 'blob-sequences'];
    const ask = async (epoch: number): Promise<number[]> => {
      const base = `/api/v1/experiments/${id}`;
      const responses = await Promise.all([
        ...lists.map((name) => service.call(tenant, 'GET', `${base}/${name}?wait_for=${epoch}&timeout=0`)),
        service.call(tenant, 'GET', `${base}/scalars?run=r&tag=loss&wait_for=${epoch}&timeout=0`),
        ...posts.map((name) => service.call(tenant, 'POST', `${base}/${name}/query`, { body: { wait_for: epoch, timeout: 0 } })),
      ]);
      return responses.map(({ status }) => status);
    };
    expect(new Set(await ask(1))).toEqual(new Set([200]));
    expect(new Set(await ask(2))).toEqual(new Set([408]));
  });

  it('responds 408 not-visible-yet after the requested timeout', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const { status, json } = await frontier('?wait_for=1&timeout=0.2');
    expect([status, json.code, json.epoch, json.acknowledged_epoch]).toEqual([408, 'not-visible-yet', 0, 1]);
    expect((await frontier('?wait_for=7&timeout=0')).status).toBe(408);
    for (const query of ['?wait_for=-1', '?wait_for=x', '?timeout=1e9', '?wait_for=1&wait_for=2', '?wait=1'])
      expect((await frontier(query)).status).toBe(400);
  });

  it('ends the wait when the experiment is deleted', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const rejection = oneWait(watch(), 1).then(
      () => null,
      (error: unknown) => error,
    ); // it waits from here on
    await service.call(tenant, 'DELETE', `/api/v1/experiments/${id}`);
    expect(await rejection).toMatchObject({ code: 'experiment-not-found' });
  });

  it('streams the frontier, new runs and the end as events', async () => {
    const stream = await fetch(`${service.base}/api/v1/experiments/${id}/events`, {
      headers: { authorization: `Bearer ${tenant.token}`, accept: 'text/event-stream' },
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = readEvents(stream);
    expect(await events.next()).toMatchObject({ value: { event: 'frontier', data: { epoch: 0, visible: true } } });
    expect(await events.next()).toMatchObject({ value: { event: 'run', data: { run: 'r', status: 'unknown' } } });
    const odd = 'name\n\nevent: deleted\ndata: {}';
    await runs.run(odd);
    await service.sql(`update run_state set status = 'success' where experiment_id = $1 and run_id = $2`, [id, run]);
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    await received(
      events,
      { event: 'frontier', data: { epoch: 0, acknowledged_epoch: 1, visible: false } },
      { event: 'run', data: { run: 'r', status: 'success' } },
      { event: 'run', data: { run: odd } },
    );
    await service.call(tenant, 'DELETE', `/api/v1/experiments/${id}`);
    await received(events, { event: 'deleted', data: { id } });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describeWith(['postgres'], 'a service that stops', () => {
  it('ends its streams and waits first, and stops promptly', async () => {
    const service = await startReadService();
    const tenant = await service.tenant();
    const { id } = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json;
    const stream = await fetch(`${service.base}/api/v1/experiments/${id}/events`, {
      headers: { authorization: `Bearer ${tenant.token}` },
    });
    const events = readEvents(stream);
    expect((await events.next()).value).toMatchObject({ event: 'frontier' });
    const waits = service.app.get(FrontierWatch, { strict: false });
    const waiting = service.call(tenant, 'GET', `/api/v1/experiments/${id}/frontier?wait_for=1&timeout=60`);
    await expect.poll(() => waits.listeners).toBe(2); // the stream and the wait
    const closing = service.close();
    const { status, json } = await waiting;
    expect([status, json.code]).toEqual([408, 'not-visible-yet']);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await closing;
  });
});

describeWith(['postgres'], 'a stream of events', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;
  let runs: StoredRuns;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
  });
  afterAll(() => service?.close());

  const open = async (lastId?: string) => {
    const abort = new AbortController();
    const stream = await fetch(`${service.base}/api/v1/experiments/${id}/events`, {
      headers: { authorization: `Bearer ${tenant.token}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: abort.signal,
    });
    return { events: readEvents(stream), close: () => abort.abort() };
  };

  it('sends each event at once, not after the previous one was acknowledged (TCP_NODELAY)', () => {
    expect(Reflect.get(service.app.getHttpServer() as object, 'noDelay')).toBe(true);
    expect(Reflect.get(createServer(), 'noDelay')).toBe(false); // the default of a server
  });

  it('sends nothing more to a member whose token was revoked, and ends', async () => {
    const other = await StoredRuns.start(service, tenant);
    const token = await createToken(service.store, { ...tenant, name: 'revoked' });
    const stream = await fetch(`${service.base}/api/v1/experiments/${other.experimentId}/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const events = readEvents(stream);
    expect((await events.next()).value).toMatchObject({ event: 'frontier' });
    await service.sql(`update access_token set revoked_at = now() where tenant_id = $1 and name = 'revoked'`, [tenant.tenantId]);
    await expect
      .poll(async () => (await service.call({ ...tenant, token }, 'GET', '/api/v1/whoami')).status, { timeout: 10_000 })
      .toBe(401);
    await other.run('secret');
    await other.file(await other.run('another'), 'f1', { bytes: 100 });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('sends no response to waiting requests whose token was revoked meanwhile', async () => {
    const other = await StoredRuns.start(service, tenant);
    const otherRun = await other.run('r');
    await other.file(otherRun, 'f1', { bytes: 100, pending: true });
    const token = await createToken(service.store, { ...tenant, name: 'waits' });
    const as = { ...tenant, token };
    const base = `/api/v1/experiments/${other.experimentId}`;
    const waiting = [
      service.call(as, 'GET', `${base}/frontier?wait_for=1&timeout=60`),
      service.call(as, 'GET', `${base}/runs?wait_for=1&timeout=60`),
      service.call(as, 'POST', `${base}/scalars/query`, { body: { wait_for: 1, timeout: 60 } }),
      service.call(as, 'GET', `${base}/frontier?wait_for=9&timeout=8`),
    ];
    // Both wait from here on.
    await expect
      .poll(() => service.app.get(FrontierWatch, { strict: false }).listeners, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(waiting.length);
    await service.sql(`update access_token set revoked_at = now() where tenant_id = $1 and name = 'waits'`, [tenant.tenantId]);
    await expect.poll(async () => (await service.call(as, 'GET', '/api/v1/whoami')).status, { timeout: 10_000 }).toBe(401);
    await other.settle();
    await other.publish();
    for (const { status, text } of await Promise.all(waiting)) expect([status, text.includes('epoch')]).toEqual([401, false]);
  });

  it('ends for a former member, even if a link would show them a part', async () => {
    const other = await StoredRuns.start(service, tenant);
    await other.run('shown');
    await other.run('hidden');
    const made = await service.call(tenant, 'POST', `/api/v1/experiments/${other.experimentId}/share-links`, { body: { runs: ['shown'] } });
    const member = await addMember(service, tenant, 'viewer');
    const { cookie } = await browserOf(service, member);
    const link = `plotline_share_${other.experimentId}=${String(made.json.url).split('/').at(-1)}`;
    const stream = await fetch(`${service.base}/api/v1/experiments/${other.experimentId}/events`, {
      headers: { cookie: `${cookie}; ${link}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(stream.status).toBe(200);
    const events = readEvents(stream);
    for (const event of ['frontier', 'run', 'run']) expect((await events.next()).value).toMatchObject({ event });
    await service.sql('delete from workspace_member where tenant_id = $1 and person_id = $2', [tenant.tenantId, member.personId]);
    await sleep(5_000); // the guaranteed limit
    await other.run('another secret');
    await other.file(await other.run('and one more'), 'f1', { bytes: 100 });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('resumes where it broke off: nothing twice, and the whole state if something changed meanwhile', async () => {
    const run = await runs.run('r');
    await runs.run('s');
    const first = await open();
    const initial = [await first.events.next(), await first.events.next(), await first.events.next()].map(({ value }) => value);
    expect(initial.map((event) => event?.event)).toEqual(['frontier', 'run', 'run']);
    expect(initial.map((event) => event?.id !== undefined)).toEqual([false, false, true]); // a client with the id has everything
    first.close();

    const again = await open(initial[2]!.id);
    const early = await open('0.000000000000');
    expect((await early.events.next()).value).toMatchObject({ event: 'frontier', data: { epoch: 0 } });
    await runs.file(run, 'f1', { bytes: 100 });
    const moved = await received(again.events, { event: 'frontier', data: { epoch: 1, visible: true } });
    again.close();
    early.close();

    await service.sql(`update run_state set status = 'success' where experiment_id = $1 and run_id = $2`, [id, run]);
    const late = await open(moved.id);
    expect((await late.events.next()).value).toMatchObject({ event: 'frontier', data: { epoch: 1 } });
    expect((await late.events.next()).value).toMatchObject({ event: 'run', data: { run: 'r', status: 'success' } });
    late.close();
  });

  it('reports deletions, which move no frontier', async () => {
    await runs.run('to go');
    const stream = await open();
    for (const event of ['frontier', 'run', 'run', 'run']) expect((await stream.events.next()).value).toMatchObject({ event });
    const response = await service.call(tenant, 'POST', `/api/v1/experiments/${id}/deletions`, { body: { runs: ['to go'] } });
    expect(response.status).toBe(202);
    const deletionEvent = (await stream.events.next()).value!;
    expect(deletionEvent).toMatchObject({ event: 'deletion', data: { asked: 1, finished: 0 } });
    await service.sql('update deletion set finished_at = now(), points = 5 where experiment_id = $1', [id]);
    expect((await stream.events.next()).value).toMatchObject({ event: 'deletion', data: { asked: 1, finished: 1, points: 5 } });
    stream.close();
    const late = await open(deletionEvent.id);
    expect((await late.events.next()).value).toMatchObject({ event: 'frontier' });
    expect((await late.events.next()).value).toMatchObject({ event: 'deletion', data: { finished: 1 } });
    late.close();
  });
});

type StreamEvent = { event: string; id?: string; data: unknown };

/**
 * Reads events until each of the given events has been received, in any order, and returns the last
 * event. The service may read between two statements of a change, and then sends several states.
 */
async function received(
  events: AsyncGenerator<StreamEvent, undefined>,
  ...wanted: { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[]
): Promise<StreamEvent> {
  const missing = new Set(wanted.map(({ event, data }) => expect.objectContaining({ event, data: expect.objectContaining(data) })));
  while (true) {
    const { value } = await events.next();
    if (!value) throw new Error(`The stream has ended before ${[...missing].join(', ')}.`);
    for (const one of missing) if (one.asymmetricMatch(value)) missing.delete(one);
    if (missing.size === 0) return value;
  }
}

async function* readEvents(stream: Response): AsyncGenerator<StreamEvent, undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of stream.body!) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      if (fields.event) yield { event: fields.event, ...(fields.id && { id: fields.id }), data: JSON.parse(fields.data ?? 'null') };
    }
  }
}
