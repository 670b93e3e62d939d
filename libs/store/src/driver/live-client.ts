import pg from 'pg';
import { LiveSecret, parsePostgresAddress, type Secret } from '#config/secrets';
import type { Connect } from './pg-internals.ts';
import { TimedClient } from './timed-client.ts';

/** SQLSTATE invalid_password. Postgres also returns it if the role's password has just changed. */
const wrongPassword = '28P01';
/**
 * Each of the two passwords is tried twice, because the role may change in between. Each additional
 * host is tried once.
 */
const passwordTries = 4;

type Connected = (error: Error | null, ...rest: unknown[]) => void;

/** Where a connection goes. */
interface Target {
  readonly url: string;
  readonly values: readonly string[];
  readonly mustWrite: boolean;
}

/**
 * Connections to an address that may change (because its password is rotated) and may have several
 * hosts, one of them the primary. Each new connection uses the current address and the host that
 * last worked. Open connections remain usable, because Postgres checks a password only when a
 * connection starts.
 */
export class LiveClients {
  readonly #address: LiveSecret;
  /** Connection errors after which another password or host can be tried. */
  readonly #passing = new WeakSet<Error>();
  /** Counts failed hosts, which selects the next host. */
  #failed = 0;

  /** `address`: includes the password. */
  constructor(address: Secret) {
    this.#address = new LiveSecret(address, { isValid: ([url]) => parsePostgresAddress(url!) !== null });
  }

  /** The address of one host, with the password, to use for the next connection. */
  get url(): string {
    return this.#target.url;
  }

  /** The class that a pool uses for its connections. */
  get Client(): new (options?: pg.ClientConfig) => pg.Client {
    const choose = (): Target => this.#target;
    const settle = (target: Target, client: pg.Client, error: Error | null, callback: (error: Error | null) => void): void =>
      this.#settle(target, client, error, callback);
    return class LiveClient extends TimedClient {
      constructor(options?: pg.ClientConfig) {
        const target = choose();
        super({ ...options, connectionString: target.url });
        const connect = this.connect as unknown as (callback: Connected) => void;
        this.connect = ((callback: Connected): void =>
          connect.call(this, (error, ...rest) =>
            settle(target, this, error, (fault) => callback(fault, ...rest)),
          )) as unknown as typeof this.connect;
      }
    };
  }

  /** `connect`, which tries the other passwords and hosts before failing. */
  retrying(connect: Connect): Connect {
    return () => this.#retry(connect);
  }

  /** Connects outside a pool. Throws the error of the last attempt. */
  connect(options: pg.ClientConfig): Promise<pg.Client> {
    return this.#retry(async () => {
      const target = this.#target;
      const client = new pg.Client({ ...options, connectionString: target.url });
      client.on('error', () => undefined); // 'end' follows
      const error = await client.connect().then(
        () => null,
        (thrown: Error) => thrown,
      );
      return new Promise<pg.Client>((resolve, reject) =>
        this.#settle(target, client, error, (fault) => (fault ? reject(fault) : resolve(client))),
      );
    });
  }

  async #retry<T>(connect: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await connect();
      } catch (error) {
        if (!(error instanceof Error) || !this.#passing.has(error) || tries >= this.#hosts.length + passwordTries - 1) throw error;
      }
    }
  }

  get #hosts(): readonly string[] {
    return parsePostgresAddress(this.#address.value)?.urls ?? [];
  }

  get #target(): Target {
    const { values } = this.#address;
    const { urls, mustWrite } = parsePostgresAddress(values[0]!)!;
    return { url: urls[this.#failed % urls.length]!, values, mustWrite };
  }

  /**
   * Checks the result of a connection attempt. Calls back with its error, or with null if the
   * connection is usable.
   */
  #settle(target: Target, client: pg.Client, error: Error | null, callback: (error: Error | null) => void): void {
    if (error) return callback(this.#note(target, error));
    if (!target.mustWrite) return callback(null);
    client.query('show transaction_read_only').then(
      ({ rows }: { rows: { transaction_read_only: string }[] }) => {
        if (rows[0]?.transaction_read_only !== 'on') return callback(null);
        client.end().catch(() => undefined);
        callback(this.#note(target, new Error('Connection terminated: this Postgres is a standby, which accepts no writes')));
      },
      (fault: Error) => callback(this.#note(target, fault)),
    );
  }

  /** Decides which password and host the next attempt uses. */
  #note({ url, values }: Target, error: Error): Error {
    if ('code' in error && error.code === wrongPassword) {
      if (this.#address.rejected(values)) this.#passing.add(error);
    } else if (this.#hosts.length > 1) {
      this.#passing.add(error);
      if (url === this.url) this.#failed++; // else another attempt has moved on already
    }
    return error;
  }
}

/**
 * The address of the first host that accepts connections (or writes, if the address requires this).
 * For clients that support only one host.
 */
export async function findHost(address: string): Promise<string> {
  const parsed = parsePostgresAddress(address);
  if (parsed === null || (parsed.urls.length === 1 && !parsed.mustWrite)) return address;
  const clients = new LiveClients(address);
  const client = await clients.connect({ application_name: 'plotline-find-host', connectionTimeoutMillis: 5_000 });
  await client.end();
  return clients.url;
}
