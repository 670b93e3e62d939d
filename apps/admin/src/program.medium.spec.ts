import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn } from '#auth';
import type { TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import {
  insertExperiment,
  insertMember,
  insertPerson,
  insertWorkspace,
  listAuditEntries,
  Operator,
  readWorkspaceLimits,
  Store,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { runAdmin } from './program.ts';

describeWith(['postgres'], 'npm run admin', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  async function workspace(name = 'Lab'): Promise<string> {
    const tenantId = tenantIdOf(randomUUID());
    await store.withTenant(tenantId, (scope) => insertWorkspace(scope, name));
    return tenantId;
  }

  async function admin(...argv: string[]) {
    let [out, error] = ['', ''];
    const exitCode = await runAdmin(argv, {
      open: async () => new Operator(database.migratorUrl),
      openBlobs: () => expect.fail('no command of this suite needs objects'),
      urlOf: (path) => `https://plots.example.org${path}`,
      write: (text) => (out += text),
      writeError: (text) => (error += text),
    });
    return { exitCode, error, json: out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null };
  }

  const everything = { action: null, actorId: null, experimentId: null, result: null, from: null, until: null };
  const limitsOf = (tenantId: TenantId) => store.withTenant(tenantId, (scope) => readWorkspaceLimits(scope));

  it('sets quotas one at a time, resets them to the defaults, and records who did it', async () => {
    const id = tenantIdOf(await workspace());
    expect((await admin('quota', id, '--points', '1000', '--pending-bytes', '5', '--by', 'Grace', '--note', 'trial')).exitCode).toBe(0);
    await admin('quota', id, '--points', '2000', '--by', 'Grace');
    const { json } = await admin('quota', id, '--pending-bytes', 'default', '--requests-per-minute', '999999999999999', '--by', 'Alan');
    expect(json).toMatchObject({
      workspace: { id, name: 'Lab' },
      quotas: { points: 2000, bytes: null, pending_bytes: null, requests_per_minute: 999_999_999_999_999 },
      suspension: null,
      usage: { points: 0, originalBytes: 0 },
    });
    expect(json.changes.map(({ changedBy, before, after, note }: Record<string, unknown>) => [changedBy, before, after, note])).toEqual([
      ['Alan', { points: 2000, pending_bytes: 5 }, { points: 2000, requests_per_minute: 999_999_999_999_999 }, null],
      ['Grace', { points: 1000, pending_bytes: 5 }, { points: 2000, pending_bytes: 5 }, null],
      ['Grace', {}, { points: 1000, pending_bytes: 5 }, 'trial'],
    ]);
    expect((await limitsOf(id))?.quotas).toMatchObject({ points: 2000, pending_bytes: null });
    expect((await admin('quota', id)).json).toEqual(json);
  });

  it('suspends and resumes with a reason, and keeps quotas', async () => {
    const id = tenantIdOf(await workspace());
    await admin('quota', id, '--points', '7');
    expect((await admin('suspend', id, '--mode', 'read-only', '--reason', 'Unpaid.')).json.suspension).toMatchObject({
      mode: 'read-only',
      reason: 'Unpaid.',
    });
    expect((await limitsOf(id))?.suspension).toMatchObject({ mode: 'read-only', reason: 'Unpaid.', since: expect.any(Date) });
    expect((await admin('suspend', id, '--reason', 'Abuse.')).json.suspension.mode).toBe('closed');
    expect((await admin('resume', id)).json).toMatchObject({ suspension: null, quotas: { points: 7 } });
    expect((await limitsOf(id))?.suspension).toBeNull();
  });

  it('rejects an invalid quota, mode or workspace, and a suspension without a reason, and changes nothing', async () => {
    const id = tenantIdOf(await workspace());
    for (const argv of [
      ['quota', id, '--points', '-1'],
      ['quota', id, '--points', '1e9'],
      ['quota', id, '--points', '99999999999999999999'],
      ['quota', id, '--points', '1.5'],
      ['quota', id, '--requests-per-minute', '0'],
      ['quota', id, '--seats', '5'],
      ['quota', 'Lab', '--points', '5'],
      ['suspend', id],
      ['suspend', id, '--reason', ' '],
      ['suspend', id, '--reason', 'x', '--mode', 'half'],
      ['drop', id],
    ])
      expect([argv, (await admin(...argv)).exitCode]).toEqual([argv, 2]);
    expect(await limitsOf(id)).toBeNull();
    const absent = await admin('suspend', randomUUID(), '--reason', 'x');
    expect([absent.exitCode, absent.error]).toEqual([4, expect.stringContaining('There is no workspace')]);
  });

  it('reopens files of an experiment, none if it has lost nothing, and rejects an unknown one', async () => {
    const [tenantId, personId, experimentId] = [tenantIdOf(await workspace()), randomUUID(), experimentIdOf('e'.repeat(22))];
    await insertPerson(store.global, personId, 'Ada');
    await store.withTenant(tenantId, async (scope) => {
      await insertMember(scope, personId, 'owner');
      await insertExperiment(scope, { experimentId, name: '', description: '', ownerId: personId, labels: [] });
    });
    expect(await admin('reopen', experimentId)).toMatchObject({
      exitCode: 0,
      json: { experiment: experimentId, workspace: tenantId, reopened_files: 0, pending_bytes: 0, not_kept_files: 0, held_runs: 0 },
    });
    const absent = await admin('reopen', 'f'.repeat(22));
    expect([absent.exitCode, absent.error]).toEqual([4, expect.stringContaining('There is no experiment')]);
    expect((await admin('reopen')).exitCode).toBe(2);
  });

  it('creates a workspace with an owner, whose link signs in once', async () => {
    const { exitCode, json } = await admin('create', ' Vision ', '--owner', 'Ada');
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ workspace: { name: 'Vision' }, owner: { name: 'Ada' }, expires_in: 3_600 });
    const [, secret] = /^https:\/\/plots\.example\.org\/sign-in\/([\w-]+)$/.exec(json.sign_in_link as string)!;
    let person: object | null = null;
    expect(await signIn(store, secret!, { before: async (owner) => void (person = owner) })).not.toBeNull();
    expect(person).toMatchObject({ tenantId: json.workspace.id, personId: json.owner.id });
    expect(await signIn(store, secret!)).toBeNull();
    for (const argv of [
      ['create', 'Vision'],
      ['create', '--owner', 'Ada'],
      ['create', ' ', '--owner', 'Ada'],
      ['create', 'x'.repeat(101), '--owner', 'Ada'],
    ])
      expect([argv, (await admin(...argv)).exitCode]).toEqual([argv, 2]);
  });

  it('creates a sign-in link for the owner of a workspace, and records it', async () => {
    const { json: made } = await admin('create', 'Speech', '--owner', 'Grace');
    const { json } = await admin('sign-in-link', made.workspace.id);
    expect(json).toEqual({ ...made, sign_in_link: expect.stringMatching(/^https:.*\/sign-in\//) });
    expect(json.sign_in_link).not.toBe(made.sign_in_link);
    const entries = await store.withTenant(made.workspace.id, (scope) => listAuditEntries(scope, everything, { after: null, limit: 10 }));
    expect(entries.map(({ action, via, objectId }) => [action, via, objectId])).toEqual([
      ['sign-in-link.create', 'service', made.owner.id],
      ['workspace.create', 'service', made.owner.id],
    ]);
    const absent = await admin('sign-in-link', randomUUID());
    expect([absent.exitCode, absent.error]).toEqual([4, expect.stringContaining('There is no workspace')]);
  });

  it('lists the workspaces with their suspension', async () => {
    const [one, two] = [await workspace('One'), await workspace('Two')];
    await admin('suspend', two, '--reason', 'x');
    const lines = (await admin('workspaces')).json as { tenantId: TenantId; name: string; suspension: string | null }[];
    expect(lines.filter(({ tenantId }) => [one, two].includes(tenantId)).map(({ name, suspension }) => [name, suspension])).toEqual([
      ['One', null],
      ['Two', 'closed'],
    ]);
  });
});
