import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { backendPid, isRunning, movedBytes, socketOf } from './pg-internals.ts';

const tickMs = 200;
/** If a server owes a response and sends no byte for this many ticks, a probe checks it. */
const silentTicks = 3;
/**
 * If a probe runs for this many ticks without a byte from the server on any connection, the server
 * counts as down. Together with `silentTicks`, this makes a request fail within 1.8 s if the
 * database is down.
 */
const responseTicks = 5;
/**
 * Maximum ticks for a probe. After that, new connections fail, even if data arrives on existing
 * ones.
 */
const longestResponseTicks = 50;

/**
 * If a commit waits for a synchronous standby for this many ticks, it counts as hanging: its
 * request fails within three seconds.
 */
const hangTicks = 9;

/** The wait event of a commit that waits for a synchronous standby. */
const standby = 'SyncRep';

interface Silence {
  /** Bytes transferred in both directions. */
  readonly moved: number;
  /** How many ticks we have waited without any transfer. */
  readonly ticks: number;
  /** `ticks` at the last probe. */
  readonly askedAt: number;
}

/**
 * Detects pool connections with a peer that has silently disappeared, e.g. because the network was
 * cut, a firewall dropped the connection, or the server's machine lost power. TCP alone reports
 * this after minutes or never, and a long statement looks the same. So after a second of silence, a
 * separate connection asks the server what its backends are doing:
 *
 * ```
 *  silent ──ask──▶ nothing heard for a second ─▶ all connections of the pool are cut
 *             └──▶ the backend works ──────────▶ a long statement: wait, and ask again in a second
 *             └──▶ it waits for a standby ─────▶ after two seconds this connection is cut, and its backend continues to wait
 *             └──▶ it does not ────────────────▶ this connection is cut, and its backend terminated to free its locks
 * ```
 *
 * A cut connection makes its statement fail, like any lost connection. Backends that could not be
 * reached are terminated as soon as the server is available again. A backend whose commit waits for
 * a synchronous standby is never terminated: that would end the wait, and other backends would see
 * and acknowledge data that the standby does not have. While it waits, its locks keep other
 * backends out. Time is counted in ticks of the event loop, so a frozen or busy process does not
 * mistake its own silence for the server's.
 */
export class SilenceWatch {
  /**
   * Set on every connection of the pool, so that only the pool's own backends are ever terminated.
   */
  readonly applicationName: string;
  readonly #url: () => string;
  readonly #onAway: () => void;
  readonly #lent = new Map<pg.PoolClient, Silence>();
  readonly #resting = new Set<pg.PoolClient>();
  readonly #abandoned = new Set<number>();
  /** Backends that no longer have a client, but have a commit that waits for a standby. */
  readonly #hanging = new Set<number>();
  readonly #onHanging: (commits: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #asking: { readonly probe: pg.Client; heard: number; ticks: number; age: number } | null = null;
  #restedTicks = 0;

  /**
   * `url` returns the current address. `onAway` is called if the server does not respond at all.
   * `onHanging` is called when the number of hanging commits changes.
   */
  constructor(url: () => string, name: string, onAway: () => void, onHanging: (commits: number) => void = () => undefined) {
    this.#url = url;
    this.#onAway = onAway;
    this.#onHanging = onHanging;
    this.applicationName = `${name} ${randomBytes(6).toString('hex')}`;
  }

  /**
   * How many of this pool's commits wait for a synchronous standby with no client waiting for them.
   */
  get hangingCommits(): number {
    return this.#hanging.size;
  }

  /** Starts watching the pool's connections while they are in use. */
  watch(pool: pg.Pool): void {
    pool.on('acquire', (client) => {
      this.#resting.delete(client);
      this.#lent.set(client, { moved: -1, ticks: 0, askedAt: 0 });
      this.#keepTicking();
    });
    pool.on('release', (_error, client) => {
      this.#lent.delete(client);
      this.#resting.add(client);
    });
    pool.on('remove', (client) => this.#resting.delete(client));
  }

  #keepTicking(): void {
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
  }

  #tick(): void {
    for (const [client, before] of this.#lent) {
      const moved = movedBytes(socketOf(client));
      const waits = isRunning(client) && moved === before.moved;
      this.#lent.set(client, { moved, ticks: waits ? before.ticks + 1 : 0, askedAt: waits ? before.askedAt : 0 });
    }
    if (this.#asking) {
      // A busy server takes a long time to open a connection, but sends bytes in the meantime.
      const bytesHeard = this.#heard() + socketOf(this.#asking.probe).bytesRead;
      this.#asking.ticks = bytesHeard > this.#asking.heard ? 0 : this.#asking.ticks + 1;
      this.#asking.heard = bytesHeard;
      if (this.#asking.ticks >= responseTicks || ++this.#asking.age >= longestResponseTicks) socketOf(this.#asking.probe).destroy();
      return;
    }
    const silent = [...this.#lent].filter(([, { ticks, askedAt }]) => ticks - askedAt >= silentTicks);
    const mustLook = this.#abandoned.size + this.#hanging.size > 0 && ++this.#restedTicks >= silentTicks;
    if (silent.length > 0 || mustLook) {
      this.#restedTicks = 0;
      for (const [client, silence] of silent) this.#lent.set(client, { ...silence, askedAt: silence.ticks });
      void this.#ask(silent.map(([client]) => client));
    } else if (this.#lent.size + this.#abandoned.size + this.#hanging.size === 0) {
      clearInterval(this.#timer!);
      this.#timer = null;
    }
  }

  /** Bytes received from the server on the existing connections. */
  #heard(): number {
    let bytes = 0;
    for (const client of [...this.#lent.keys(), ...this.#resting]) bytes += socketOf(client).bytesRead;
    return bytes;
  }

  /**
   * Asks what the backends of the silent connections are doing. Cuts connections with idle
   * backends, or all connections if there is no response.
   */
  async #ask(silent: readonly pg.PoolClient[]): Promise<void> {
    const probe = new pg.Client({ connectionString: this.#url(), application_name: 'plotline-probe' });
    probe.on('error', () => undefined); // the probe fails, and reports the error
    this.#asking = { probe, heard: this.#heard(), ticks: 0, age: 0 };
    try {
      await probe.connect();
      const pids = silent.flatMap((client) => backendPid(client) ?? []);
      const working = await this.#workingBackends(probe, pids);
      await this.#endAbandoned(probe);
      for (const client of silent) {
        if (!this.#isStillSilent(client)) continue;
        const waitsFor = working.get(backendPid(client) ?? 0);
        if (waitsFor === undefined) this.#cut(client);
        else if (waitsFor === standby && (this.#lent.get(client)?.ticks ?? 0) >= hangTicks) this.#leave(client);
      }
      await this.#endAbandoned(probe);
      await this.#forgetCommitted(probe);
    } catch (error) {
      // A server that rejects the probe has responded, so its connections are not dead. It has too
      // many connections or is starting.
      if (error instanceof pg.DatabaseError) return;
      this.#onAway();
      this.#cutAll();
    } finally {
      this.#asking = null;
      socketOf(probe).destroy();
    }
  }

  /**
   * A backend that runs a statement, or waits for a lock, is working. A backend that waits for us
   * is not working, because we have sent everything. With Citus, a backend that waits for another
   * node reports the same wait event as one that waits for us, so every active backend counts as
   * working. Returns the wait event, if any, of each working backend.
   */
  async #workingBackends(probe: pg.Client, pids: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
    const { rows } = await probe.query<{ pid: number; wait_event: string | null }>(
      `select pid, wait_event from pg_stat_activity
       where pid = any($1::int[]) and state = 'active'
         and (wait_event is distinct from 'ClientRead' or exists (select from pg_extension where extname = 'citus'))`,
      [pids],
    );
    return new Map(rows.map(({ pid, wait_event: waitEvent }) => [pid, waitEvent]));
  }

  async #endAbandoned(probe: pg.Client): Promise<void> {
    const pids = [...this.#abandoned];
    if (pids.length === 0) return;
    await probe.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid = any($1::int[]) and application_name = $2 and usename = current_user and wait_event is distinct from $3`,
      [pids, this.applicationName, standby],
    );
    for (const pid of pids) this.#abandoned.delete(pid);
  }

  /** Finds out which hanging commits are done. Their backends no longer wait for the standby. */
  async #forgetCommitted(probe: pg.Client): Promise<void> {
    const pids = [...this.#hanging];
    if (pids.length === 0) return;
    const { rows } = await probe.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = any($1::int[]) and application_name = $2 and wait_event = $3`,
      [pids, this.applicationName, standby],
    );
    const waiting = new Set(rows.map(({ pid }) => pid));
    for (const pid of pids) if (!waiting.has(pid)) this.#hanging.delete(pid);
    if (this.#hanging.size !== pids.length) this.#onHanging(this.#hanging.size);
  }

  #isStillSilent(client: pg.PoolClient): boolean {
    const silence = this.#lent.get(client);
    return silence !== undefined && silence.ticks > 0 && silence.moved === movedBytes(socketOf(client));
  }

  /** Idle connections are cut too, because each would make its next user wait equally long. */
  #cutAll(): void {
    for (const client of this.#lent.keys()) if (this.#isStillSilent(client)) this.#cut(client);
    for (const client of this.#resting) this.#cut(client);
  }

  /** Stops waiting for a commit. Its backend continues to wait for the standby. */
  #leave(client: pg.PoolClient): void {
    const pid = backendPid(client);
    if (pid !== null) this.#hanging.add(pid);
    socketOf(client).destroy(new Error('Connection terminated: the commit waits for a synchronous standby'));
    this.#onHanging(this.#hanging.size);
  }

  #cut(client: pg.PoolClient): void {
    const pid = backendPid(client);
    if (pid !== null) this.#abandoned.add(pid);
    socketOf(client).destroy();
  }
}
