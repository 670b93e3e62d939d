import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { currentShare, runForService, runForShare, type Share } from '#admission';
import type { Caller } from '#auth';
import { WorkspaceGate } from '#http';
import type { TenantId } from '#model';

/** An event stream with a connected client. */
export interface OpenStream {
  readonly caller: Pick<Caller, 'tenantId' | 'view'>;
  /** Sends something without meaning, so that no proxy on the way closes the connection. */
  beat(): void;
  /** Whether the client's credential still permits the stream, at most five seconds ago. */
  isAllowed(): Promise<boolean>;
  /** Ends the response, and removes the stream. May be called again. */
  end(): void;
}

interface Kept {
  readonly stream: OpenStream;
  readonly share: Share;
  /** When to send the next heartbeat, by the clock of the process. */
  beatAt: number;
  /** Heartbeats until the credential is checked. */
  untilCheck: number;
}

/**
 * What all open event streams need while nothing happens, by one timer of the process: heartbeats,
 * and an end when the workspace is closed, the credential is revoked or the service stops. What a
 * stream sends does not depend on the check here: it checks its credential itself before it sends.
 */
@Injectable()
export class OpenStreams implements OnModuleDestroy {
  readonly #gate: Pick<WorkspaceGate, 'requireOpen'>;
  readonly #kept = new Set<Kept>();
  #timer: NodeJS.Timeout | null = null;
  #closing = false;
  /**
   * How often each workspace is checked, once for all its streams. Together with the age of the
   * cached result less than five seconds.
   */
  protected readonly roundMs: number = 1_000;
  protected readonly heartbeatMs: number = 15_000;
  /** An idle stream checks its credential with every fourth heartbeat: each costs a query. */
  protected readonly beatsPerCheck: number = 4;

  constructor(gate: WorkspaceGate) {
    this.#gate = gate;
  }

  /** The number of streams. */
  get count(): number {
    return this.#kept.size;
  }

  /**
   * Adds a stream of the current request, which is ended soon if the service stops. Returns a
   * function that removes it.
   */
  add(stream: OpenStream): () => void {
    // Random times, so that clients that connect together are not served together from then on.
    const one: Kept = {
      stream,
      share: currentShare(),
      beatAt: performance.now() + Math.random() * this.heartbeatMs,
      untilCheck: 1 + Math.floor(Math.random() * this.beatsPerCheck),
    };
    this.#kept.add(one);
    if (this.#closing) queueMicrotask(() => stream.end());
    this.#timer ??= runForService(() => setInterval(() => this.#round(), this.roundMs).unref());
    return () => {
      if (!this.#kept.delete(one) || this.#kept.size > 0 || !this.#timer) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  onModuleDestroy(): void {
    this.#closing = true;
    for (const { stream } of this.#kept) stream.end();
  }

  #round(): void {
    const now = performance.now();
    const byTenant = new Map<TenantId, Kept[]>();
    for (const one of this.#kept) {
      const { tenantId } = one.stream.caller;
      const others = byTenant.get(tenantId);
      if (others) others.push(one);
      else byTenant.set(tenantId, [one]);
      if (one.beatAt <= now) this.#beat(one, now);
    }
    // A workspace is open for all of its readers or for none.
    for (const streams of byTenant.values())
      this.#gate.requireOpen(streams[0]!.stream.caller, 'experiment.read').catch(() => streams.forEach(({ stream }) => stream.end()));
  }

  #beat(one: Kept, now: number): void {
    const { stream, share } = one;
    one.beatAt = now + this.heartbeatMs;
    stream.beat();
    if (--one.untilCheck > 0) return;
    one.untilCheck = this.beatsPerCheck;
    const end = (): void => stream.end();
    runForShare(share, () => stream.isAllowed()).then((allowed) => (allowed ? undefined : end()), end);
  }
}
