import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** The checkpointer updates its statistics a moment after a checkpoint. */
const statisticsMs = 2_000;

/** Bytes of a table on disk, including indexes and TOAST. */
export interface TableSize {
  readonly table: string;
  readonly bytes: number;
}

/**
 * `walBytes`: bytes of WAL records, including full-page images (counted by `fullPageImages`);
 * `walWritten`, `dataWritten`: bytes of whole blocks passed to the operating system.
 */
export interface Writes {
  readonly walBytes: number;
  readonly fullPageImages: number;
  readonly walWritten: number;
  readonly dataWritten: number;
  readonly commits: number;
}

/** A superuser connection to the service's Postgres; only benches use it. */
export class Database {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /**
   * Connects to the database with the points, using the port and password in the data folder of
   * embedded mode.
   */
  static async open(dataFolder: string): Promise<Database> {
    const port = Number(readFileSync(join(dataFolder, 'postgres.port'), 'utf8'));
    const password = readFileSync(join(dataFolder, 'secrets', 'postgres'), 'utf8').trim();
    const connect = async (database: string): Promise<pg.Client> => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database });
      await client.connect();
      return client;
    };
    const first = await connect('postgres');
    const { rows } = await first.query<{ datname: string }>('select datname from pg_database where datallowconn and not datistemplate');
    await first.end();
    for (const { datname } of rows) {
      const client = await connect(datname);
      const found = await client.query("select 1 from pg_class where relname = 'scalar_chunk'");
      if (found.rowCount === 1) return new Database(client);
      await client.end();
    }
    throw new Error('no database of the embedded Postgres has a scalar_chunk table');
  }

  /**
   * Listens on a channel. Each call of the returned function resolves with the time of the next
   * notification, in milliseconds of this process's clock.
   */
  async listen(channel: string): Promise<() => Promise<number>> {
    await this.#client.query(`listen ${pg.escapeIdentifier(channel)}`);
    return () => new Promise((resolve) => this.#client.once('notification', () => resolve(performance.now())));
  }

  /** Sizes of all application tables, largest first. */
  async tableSizes(): Promise<TableSize[]> {
    const { rows } = await this.#client.query<{ table: string; bytes: string }>(
      `select c.relname as table, pg_total_relation_size(c.oid) as bytes
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
        order by 2 desc`,
    );
    return rows.map(({ table, bytes }) => ({ table, bytes: Number(bytes) }));
  }

  /** Returns the bytes that this Postgres has written since its start; the counters only rise. */
  async writes(): Promise<Writes> {
    const { rows } = await this.#client.query<Record<'wal' | 'fpi' | 'wal_written' | 'data_written' | 'commits', string>>(
      `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
              (select wal_fpi from pg_stat_wal) as fpi,
              (select coalesce(sum(write_bytes), 0) from pg_stat_io where object = 'wal' and context = 'normal') as wal_written,
              (select coalesce(sum(write_bytes) + sum(extend_bytes), 0) from pg_stat_io where object = 'relation') as data_written,
              (select sum(xact_commit) from pg_stat_database) as commits`,
    );
    const row = rows[0]!;
    return {
      walBytes: Number(row.wal),
      fullPageImages: Number(row.fpi),
      walWritten: Number(row.wal_written),
      dataWritten: Number(row.data_written),
      commits: Number(row.commits),
    };
  }

  /** Executes these statements in a separate transaction. */
  async inOneTransaction(statements: readonly { readonly text: string; readonly values?: readonly unknown[] }[]): Promise<void> {
    await this.#client.query('begin');
    try {
      for (const { text, values = [] } of statements) await this.#client.query(text, [...values]);
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback');
      throw error;
    }
  }

  /**
   * Does the work that autovacuum does only in the first minutes of a cluster (hint bits and
   * catalog statistics).
   */
  async settle(): Promise<void> {
    await this.#client.query('vacuum (analyze)');
    await this.#client.query('vacuum'); // Flushes the pages that the new statistics changed.
    await this.checkpoint();
  }

  /**
   * Sets the autovacuum interval to `seconds` instead of a minute, for a training run that is
   * faster than real time.
   */
  async vacuumEvery(seconds: number): Promise<void> {
    await this.#client.query(`alter system set autovacuum_naptime = ${Math.max(1, Math.round(seconds))}`);
    await this.#client.query('select pg_reload_conf()');
  }

  /** Writes all dirty pages to the data files. */
  async checkpoint(): Promise<void> {
    await this.#client.query('checkpoint');
    await delay(statisticsMs);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
