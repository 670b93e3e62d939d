import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { TenantId } from '#model';
import type { Database } from './database.ts';
import { LiveClients } from './driver/live-client.ts';
import { OperatorScope } from './scope.ts';
import { mapStoreError } from './store-error.ts';

/**
 * The operator's access, as plotline_migrator: it bypasses row level security, and only the
 * commands of `npm run admin` use it. The processes of the service have no such connection, so no
 * request can change what they are allowed to do.
 */
export class Operator {
  readonly #pool: pg.Pool;
  readonly #database: Kysely<Database>;

  /** `url`: an address for the role plotline_migrator. Connects on first use. */
  constructor(url: string) {
    const clients = new LiveClients(url);
    this.#pool = new pg.Pool({ Client: clients.Client, max: 1, application_name: 'plotline-admin', connectionTimeoutMillis: 5_000 });
    clients.retryIn(this.#pool);
    this.#pool.on('error', () => undefined); // the next query fails, and reports the error
    this.#database = new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#pool }) });
  }

  /**
   * Runs `work` in one transaction; `inTenant` gives the scope of a tenant in it. Rolls back if it
   * throws; throws `store-unavailable` if the database is down.
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
