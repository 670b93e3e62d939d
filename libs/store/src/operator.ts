import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { TenantId } from '#model';
import type { Database } from './database.ts';
import { LiveClients } from './driver/live-client.ts';
import { wrapConnect } from './driver/pg-internals.ts';
import { OperatorScope } from './scope.ts';
import { mapStoreError } from './store-error.ts';

/**
 * The operator's access, as plotline_migrator. It bypasses row level security, and only `npm run
 * admin` commands use it. The service's processes have no such connection, so no request can change
 * what these processes may do.
 */
export class Operator {
  readonly #pool: pg.Pool;
  readonly #database: Kysely<Database>;

  /** `url` is an address for the role plotline_migrator. Connects on first use. */
  constructor(url: string) {
    const clients = new LiveClients(url);
    this.#pool = new pg.Pool({ Client: clients.Client, max: 1, application_name: 'plotline-admin', connectionTimeoutMillis: 5_000 });
    wrapConnect(this.#pool, (connect) => clients.retrying(connect));
    this.#pool.on('error', () => undefined); // the next query fails, and reports the error
    this.#database = new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#pool }) });
  }

  /**
   * Runs `work` in one transaction. `inTenant` returns a tenant's scope in it. Rolls back if `work`
   * throws. Throws `store-unavailable` if the database is down.
   */
  async run<T>(work: (trx: Kysely<Database>, inTenant: (tenantId: TenantId) => OperatorScope) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction().execute((trx) => work(trx, (tenantId) => new OperatorScope(tenantId, trx)));
    } catch (error) {
      throw mapStoreError(error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
