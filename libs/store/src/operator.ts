import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { mapStoreError } from './store-error.ts';

/**
 * The door of whoever runs the service, as plotline_migrator: past row level security, for the commands of `npm run admin` alone. The processes of
 * the service have no such connection, so nothing that reaches them can change what they may do.
 */
export class Operator {
  readonly #pool: pg.Pool;
  readonly #database: Kysely<Database>;

  /** `url`: of the role plotline_migrator. Connects with the first work. */
  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'plotline-admin', connectionTimeoutMillis: 5_000 });
    this.#pool.on('error', () => undefined); // the next query fails, which is where the error belongs
    this.#database = new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#pool }) });
  }

  /** Runs `work` in one transaction. Rolls back when it throws; a database that is away comes as `store-unavailable`. */
  async run<T>(work: (trx: Kysely<Database>) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction().execute(work);
    } catch (error) {
      throw mapStoreError(error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
