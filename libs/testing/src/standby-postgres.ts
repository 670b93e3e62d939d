import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import { copyTemplate, makeTemplate, type TestDatabase } from './template-database.ts';

const pollMs = 20;

/**
 * A separate Postgres with one migrated database. Its commits can be made to wait for a synchronous
 * standby that does not exist.
 */
export class StandbyPostgres {
  readonly database: TestDatabase;
  readonly #dataDir: string;
  readonly #postgres: EmbeddedPostgres;
  readonly #admin: pg.Client;
  /** A client whose commits wait for the standby, like those of a service. */
  readonly #waiter: pg.Client;

  private constructor(parts: { dataDir: string; postgres: EmbeddedPostgres; database: TestDatabase; admin: pg.Client; waiter: pg.Client }) {
    this.database = parts.database;
    this.#dataDir = parts.dataDir;
    this.#postgres = parts.postgres;
    this.#admin = parts.admin;
    this.#waiter = parts.waiter;
  }

  static async start(): Promise<StandbyPostgres> {
    const dataDir = await mkdtemp(join(tmpdir(), 'plotline-standby-'));
    const postgres = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '32MB' } });
    const database = await copyTemplate(await makeTemplate(postgres.url(), null));
    const admin = new pg.Client({ connectionString: postgres.url() });
    await admin.connect();
    await admin.query('set synchronous_commit = local'); // the administrator's own commits do not wait
    const waiter = new pg.Client({ connectionString: postgres.url() });
    await waiter.connect();
    return new StandbyPostgres({ dataDir, postgres, database, admin, waiter });
  }

  /** Resolves when commits wait for a standby. */
  async loseStandby(): Promise<void> {
    await this.#require('nobody');
    // Commits wait once the checkpointer has read the setting, which can be after other processes
    // have read it.
    while (!(await this.#commitWaits()));
  }

  /** Stops making commits wait, and releases the waiting commits. */
  async endWait(): Promise<void> {
    await this.#require('');
  }

  /** How many commits are waiting for the standby. */
  async waitingCommits(): Promise<number> {
    const { rows } = await this.#admin.query<{ n: number }>(`select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'`);
    return rows[0]!.n;
  }

  async stop(): Promise<void> {
    // A waiting commit would prevent Postgres from stopping.
    await this.endWait();
    await this.#waiter.end();
    await this.#admin.end();
    await this.#postgres.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async #require(standby: string): Promise<void> {
    await this.#admin.query(`alter system set synchronous_standby_names = ${pg.escapeLiteral(standby)}`);
    await this.#admin.query('select pg_reload_conf()');
    for (;;) {
      const { rows } = await this.#admin.query<{ synchronous_standby_names: string }>('show synchronous_standby_names');
      if (rows[0]!.synchronous_standby_names === standby) return;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #commitWaits(): Promise<boolean> {
    const { rows } = await this.#waiter.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0]!;
    let isDone = false;
    const commit = this.#waiter.query(`select pg_logical_emit_message(true, 'test', '')`).finally(() => (isDone = true));
    while (!isDone) {
      const waiting = await this.#admin.query(`select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'`, [pid]);
      if (waiting.rowCount === 0) continue;
      await this.#admin.query('select pg_cancel_backend($1)', [pid]);
      await commit;
      return true;
    }
    return false;
  }
}
