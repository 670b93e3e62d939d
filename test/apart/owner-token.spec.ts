import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Authenticator } from '#auth';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import { Store } from '#store';
import { describeWith } from '#testing';
import { plainEnvironment } from '../e2e/service.ts';
import { migrate } from './programs.ts';

describeWith(['postgres'], 'the token of the first owner', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let store: Store;
  let data: string;
  let databases = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-owner-'));
    postgres = await startPostgres({ dataDir: join(folder, 'cluster') });
  });
  afterAll(async () => {
    await postgres?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    data = join(folder, `data-${++databases}`);
    await mkdir(data);
    store = new Store({ appUrl: urlOf('plotline_app') });
  });
  afterEach(() => store.close());

  const urlOf = (role?: string): string => postgres.url(role, `plotline_${databases}`);
  const run = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    migrate(
      {
        ...plainEnvironment(),
        PLOTLINE_DATABASE_URL: postgres.url(),
        PLOTLINE_MIGRATOR_DATABASE_URL: urlOf('plotline_migrator'),
        PLOTLINE_APP_DATABASE_URL: urlOf('plotline_app'),
        PLOTLINE_DATA_DIR: data,
        XDG_STATE_HOME: join(folder, 'state'),
        ...env,
      },
      args,
    );
  const generate = async (): Promise<string> => (await migrate(plainEnvironment(), ['--generate-token'])).trim();
  /** A new process, which remembers nothing. */
  const isValid = async (token: string): Promise<boolean> => (await new Authenticator(store).byToken(token)) !== null;
  const written = async (): Promise<string> =>
    (JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8')) as { token: string }).token;
  const tokens = async (): Promise<number> => {
    const admin = new pg.Client({ connectionString: urlOf() });
    await admin.connect();
    const { rows } = await admin.query('select from access_token where revoked_at is null');
    await admin.end();
    return rows.length;
  };
  /** There can be no folder below a file. */
  const unwritable = async (): Promise<NodeJS.ProcessEnv> => {
    await writeFile(join(data, 'file'), '');
    return { PLOTLINE_DATA_DIR: join(data, 'file/data') };
  };

  it('can come from a secret store, without a place to write; the one before is revoked', async () => {
    const [first, second] = [await generate(), await generate()];
    const readOnly = await unwritable();
    const said = await run({ ...readOnly, PLOTLINE_OWNER_TOKEN: first });
    expect(said).not.toContain(first);
    expect([await isValid(first), await tokens()]).toEqual([true, 1]);
    await run({ ...readOnly, PLOTLINE_OWNER_TOKEN: first });
    expect(await tokens()).toBe(1);
    const file = join(data, 'owner-token');
    await writeFile(file, `${second}\n`);
    await run({ ...readOnly, PLOTLINE_OWNER_TOKEN_FILE: file });
    expect([await isValid(first), await isValid(second), await tokens()]).toEqual([false, true, 1]);
    await expect(run({ ...readOnly, PLOTLINE_OWNER_TOKEN: first })).rejects.toThrow('was revoked');
    await expect(run({ ...readOnly, PLOTLINE_OWNER_TOKEN: `${second.slice(0, -1)}~` })).rejects.toThrow(/PLOTLINE_OWNER_TOKEN: must be/);
    const mistyped = second.slice(0, -1) + (second.endsWith('0') ? '1' : '0');
    await expect(run({ ...readOnly, PLOTLINE_OWNER_TOKEN: mistyped })).rejects.toThrow('wrong checksum');
    await expect(run({ PLOTLINE_OWNER_TOKEN: second }, '--new-token')).rejects.toThrow('instead of using --new-token');
    expect(await tokens()).toBe(1);
  });

  it('is not created where it cannot be written', async () => {
    await expect(run(await unwritable())).rejects.toThrow(/migrate exited with 1:[^]*The owner's token cannot be written to .*ENOTDIR/);
    expect(await tokens()).toBe(0);
    await run({});
    expect([await isValid(await written()), await tokens()]).toEqual([true, 1]);
    await expect(run(await unwritable(), '--new-token')).rejects.toThrow('cannot be written');
    await run(await unwritable()); // there is nothing to write
    expect(await tokens()).toBe(1);
  });

  it('--new-token replaces a lost one, which is revoked', async () => {
    await run({});
    const lost = await written();
    await run({}, '--new-token');
    expect([await isValid(lost), await isValid(await written()), await tokens()]).toEqual([false, true, 1]);
  });
});
