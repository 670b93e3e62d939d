import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import type { TestEvent } from '../../../ingest/src/testing/deletion-world.ts';
import { workOnDeletion } from '../../../ingest/src/deletion/work-on-deletion.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
const says = (facts: unknown): TestEvent => ({ step: 0n, says: `plotline ${JSON.stringify(facts)}`, values: [] });
const loss = (step: number): TestEvent => ({ step: BigInt(step), values: [{ tag: 'loss', scalar: step }] });
const shown = { step: 0n, values: [{ tag: 'system/facts', text: 'Python' }] };

const facts = {
  display_name: 'Baseline',
  job_type: 'train',
  labels: ['paper'],
  command: 'python train.py --lr 0.1',
  git_commit: 'c0ffee',
  git_dirty: true,
  git_branch: 'main',
  git_remote: 'https://git.example/lab.git',
  folder: '/home/secret-ada/lab',
  person: 'secret-ada',
  host: 'secret-gpu',
  heartbeat_seconds: 10,
  status: 'running',
};
const source = {
  command: facts.command,
  git_commit: 'c0ffee',
  git_dirty: true,
  git_branch: 'main',
  git_remote: facts.git_remote,
  folder: facts.folder,
};

describeWith(['postgres'], 'what a run records about itself', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let experiment: ExperimentId;

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    owner = await service.tenant();
    experiment = await logged.make(owner, {
      a: [loss(1), loss(2)],
      b: [loss(1), says({ host: 'other', status: 'running', heartbeat_seconds: 10 })],
      c: [loss(1)],
    });
    await logged.log(owner, experiment, 'a', [says(facts), shown], 'events.2.system');
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const at = (query: Record<string, string> = {}, of: string = experiment) =>
    `/api/v1/experiments/${of}/runs?${new URLSearchParams(query).toString()}`;
  const runs = async (query: Record<string, string> = {}, of = experiment) => (await service.call(owner, 'GET', at(query, of))).json.runs;
  const names = async (query: Record<string, string>) => (await runs(query)).map(({ run }: { run: string }) => run);
  const link = async (body: object) => {
    const { json } = await service.call(owner, 'POST', `/api/v1/experiments/${experiment}/share-links`, { body });
    return { secret: String(json.url.split('/').at(-1)), experiment: String(json.experiment) };
  };
  const by = async (made: { secret: string; experiment: string }, query: Record<string, string> = {}) => {
    const { text, json } = await service.call(null, 'GET', at(query, made.experiment), { headers: { 'plotline-share': made.secret } });
    return { text, runs: json.runs };
  };

  it('is in lists of runs', async () => {
    expect((await runs({ filter: 'run = a' }))[0]).toMatchObject({
      display_name: 'Baseline',
      job_type: 'train',
      labels: ['paper'],
      status: 'running',
      state: 'running',
      heartbeat: expect.any(Number),
      source,
      person: 'secret-ada',
      host: 'secret-gpu',
    });
    expect((await runs({ filter: 'run = c' }))[0]).toMatchObject({
      display_name: null,
      job_type: null,
      labels: [],
      config: {},
      source: null,
      person: null,
      host: null,
    });
  });

  it.each([
    ['host = "secret-gpu"', ['a']],
    ['person : ADA', ['a']],
    ['git_commit = c0ffee git_dirty = true', ['a']],
    ['command ~ "--lr 0[.]1"', ['a']],
    ['display_name = Baseline', ['a']],
    ['job_type = train', ['a']],
    ['label = paper', ['a']],
    ['state = running', ['a', 'b']],
    ['heartbeat > 0', ['a', 'b', 'c']],
  ])('can be filtered by: %s', async (filter, expected) => {
    expect(await names({ filter })).toEqual(expected);
  });

  it('can be ordered by', async () => {
    expect(await names({ order_by: 'state("10"), state, host' })).toEqual(['b', 'a', 'c']);
    expect(await names({ order_by: 'host' })).toEqual(['b', 'a', 'c']);
    expect(await names({ order_by: 'display_name desc, host' })).toEqual(['a', 'b', 'c']);
  });

  it('comes from the first start and the last status, in any order of files', async () => {
    const id = await logged.make(owner, { r: [loss(1)] });
    await logged.log(owner, id, 'r', [{ ...says({ host: 'second', status: 'success' }), step: 50n }], 'f2.system');
    await logged.log(owner, id, 'r', [says({ host: 'first', status: 'running' })], 'f1.system');
    expect((await runs({}, id))[0]).toMatchObject({ host: 'first', status: 'success', state: 'finished' });
  });

  it('is crashed when the heartbeat stops, and stalled when only the heartbeat continues', async () => {
    const id = await logged.make(owner, { r: [loss(1)], s: [loss(1)], old: [loss(1)] });
    await logged.log(owner, id, 'r', [says(facts)], 'f.system');
    await logged.log(owner, id, 's', [says(facts), { step: 700n, values: [{ tag: 'system/cpu', scalar: 1 }] }], 'f.system');
    const states = async () => Object.fromEntries((await runs({}, id)).map((run: { run: string; state: string }) => [run.run, run.state]));
    expect(await states()).toEqual({ r: 'running', s: 'stalled', old: 'unknown' });
    await service.sql(`update run_state set ingested_at = now() - interval '3 minutes' where experiment_id = $1`, [id]);
    expect(await states()).toEqual({ r: 'crashed', s: 'crashed', old: 'unknown' });
    await service.sql('update run_state set ingested_at = null where experiment_id = $1', [id]);
    expect(await states()).toEqual({ r: 'unknown', s: 'unknown', old: 'unknown' });
  });

  it('can be overridden by members, and reset to what was recorded', async () => {
    const id = await logged.make(owner, { r: [says(facts)] });
    const change = (body: object) => service.call(owner, 'PATCH', `/api/v1/experiments/${id}/runs`, { body: { runs: ['r'], ...body } });
    expect((await change({ display_name: 'Mine', labels: [] })).status).toBe(204);
    expect((await runs({}, id))[0]).toMatchObject({ display_name: 'Mine', labels: [] });
    expect((await change({ display_name: '' })).status).toBe(204);
    expect((await runs({}, id))[0]).toMatchObject({ display_name: 'Baseline', labels: [] });
    expect((await change({ display_name: 'x'.repeat(201) })).status).toBe(400);
  });

  it('hides person, host and code from an anonymous link, also in filters', async () => {
    const secret = await link({ anonymous: true });
    const { text, runs: seen } = await by(secret);
    expect(text).not.toMatch(/secret|c0ffee|train\.py|git\.example/);
    expect(seen[0]).toMatchObject({ run: 'a', display_name: 'Baseline', job_type: 'train', source: null, person: null, host: null });
    for (const filter of [
      'host : secret',
      'person : secret',
      'command : train',
      'git_commit : c0',
      'git_dirty = true',
      'git_branch = main',
    ])
      expect((await by(secret, { filter })).runs).toEqual([]);
    expect((await by(secret, { order_by: 'host desc' })).runs.map(({ run }: { run: string }) => run)).toEqual(['a', 'b', 'c']);
    const named = await by(await link({}));
    expect(named.runs[0]).toMatchObject({ source, person: 'secret-ada', host: 'secret-gpu' });
  });

  it('is visible through a link to some tags only with the tag system/facts', async () => {
    const without = await by(await link({ tags: ['loss'] }));
    expect(without.text).not.toMatch(/secret|c0ffee|Baseline|paper/);
    expect(without.runs[0]).toMatchObject({ state: 'unknown', job_type: null });
    const withFacts = await by(await link({ tags: ['loss', 'system/facts'] }));
    expect(withFacts.runs[0]).toMatchObject({ display_name: 'Baseline', host: 'secret-gpu' });
  });

  it('is in snapshots, of an anonymous link without names', async () => {
    const whole = (await service.call(owner, 'POST', `/api/v1/experiments/${experiment}/snapshots`, { body: {} })).json.id;
    expect((await runs({}, whole))[0]).toMatchObject({ display_name: 'Baseline', labels: ['paper'], host: 'secret-gpu', state: 'unknown' });
    const frozen = await by(await link({ anonymous: true, frozen: true }));
    expect(frozen.text).not.toMatch(/secret|c0ffee|train\.py|git\.example/);
    expect(frozen.runs[0]).toMatchObject({ display_name: 'Baseline', host: null });
  });

  it('is deleted with its tag', async () => {
    const id = await logged.make(owner, { r: [loss(1), says(facts), shown] });
    const { json } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/deletions`, { body: { tags: ['system/facts'] } });
    const { store, blobs } = logged.world;
    await workOnDeletion(store, blobs, { tenantId: owner.tenantId, deletionId: json.id }, bounds);
    expect((await runs({}, id))[0]).toMatchObject({ run: 'r', display_name: null, source: null, host: null, state: 'running' });
  });
});
