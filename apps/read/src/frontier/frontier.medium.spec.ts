import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { notifyFrontier } from '#store';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'the frontier', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;
  let runs: StoredRuns;
  let run: string;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
  });
  beforeEach(async () => {
    id = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    runs = new StoredRuns(service, tenant, id);
    run = await runs.run('r');
  });
  afterAll(() => service?.close());

  const frontier = (query = '') => service.call(tenant, 'GET', `/api/v1/experiments/${id}/frontier${query}`);
  const settle = () => service.sql('delete from pending_segment where experiment_id = $1', [id]);

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

  it('answers at once what is visible already', async () => {
    await runs.file(run, 'f1', { bytes: 100 });
    expect((await frontier('?wait_for=1&timeout=60')).json.epoch).toBe(1);
  });

  it('waits until the epoch is visible, with and without a notification', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const [polled, notified] = [frontier('?wait_for=1&timeout=60'), frontier('?wait_for=1&timeout=60')];
    await settle();
    expect([(await polled).json.epoch, (await notified).status]).toEqual([1, 200]);
    const fileId = await runs.file(run, 'f2', { bytes: 100, pending: true });
    const waiting = frontier('?wait_for=2&timeout=60');
    await settle();
    await service.store.withTenant(tenant.tenantId, (trx) => notifyFrontier(trx, id));
    expect((await waiting).json.epoch).toBe(2);
    expect(fileId).toBeDefined();
  });

  it('says 408 not-visible-yet when it takes longer than asked', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const { status, json } = await frontier('?wait_for=1&timeout=0.2');
    expect([status, json.code, json.epoch, json.acknowledged_epoch]).toEqual([408, 'not-visible-yet', 0, 1]);
    expect((await frontier('?wait_for=7&timeout=0')).status).toBe(408);
    for (const query of ['?wait_for=-1', '?wait_for=x', '?timeout=1e9', '?wait_for=1&wait_for=2', '?wait=1'])
      expect((await frontier(query)).status).toBe(400);
  });

  it('ends the wait when the experiment is deleted', async () => {
    await runs.file(run, 'f1', { bytes: 100, pending: true });
    const waiting = frontier('?wait_for=1&timeout=60');
    await new Promise((resolve) => setTimeout(resolve, 50)); // usually waiting by now; right either way
    await service.call(tenant, 'DELETE', `/api/v1/experiments/${id}`);
    expect((await waiting).json.code).toBe('experiment-not-found');
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
    expect(await events.next()).toMatchObject({ value: { event: 'frontier', data: { epoch: 0, acknowledged_epoch: 1, visible: false } } });
    expect(await events.next()).toMatchObject({ value: { event: 'run', data: { run: 'r', status: 'success' } } });
    expect(await events.next()).toMatchObject({ value: { event: 'run', data: { run: odd } } });
    await service.call(tenant, 'DELETE', `/api/v1/experiments/${id}`);
    expect(await events.next()).toMatchObject({ value: { event: 'deleted', data: { id } } });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describeWith(['postgres'], 'a service that ends', () => {
  it('ends its streams and waits first, and does not keep anybody', async () => {
    const service = await startReadService();
    const tenant = await service.tenant();
    const { id } = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json;
    const stream = await fetch(`${service.base}/api/v1/experiments/${id}/events`, {
      headers: { authorization: `Bearer ${tenant.token}` },
    });
    const events = readEvents(stream);
    expect((await events.next()).value).toMatchObject({ event: 'frontier' });
    const waiting = service.call(tenant, 'GET', `/api/v1/experiments/${id}/frontier?wait_for=1&timeout=60`);
    const closing = service.close();
    expect((await waiting.catch(() => ({ status: 408 }))).status).toBe(408); // or the connection was refused: it had not begun
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await closing;
  });
});

async function* readEvents(stream: Response): AsyncGenerator<{ event: string; data: unknown }> {
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
      if (fields.event) yield { event: fields.event, data: JSON.parse(fields.data ?? 'null') };
    }
  }
}
