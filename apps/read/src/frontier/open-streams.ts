import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { currentShare, runForService, runForShare, type Share } from '#admission';
import type { Caller } from '#auth';
import { WorkspaceGate } from '#http';

/** An event stream with a connected client. */
export interface OpenStream {
  readonly caller: Pick<Caller, 'tenantId' | 'view'>;
  /** Sends a heartbeat, which keeps proxies from closing the connection. */
  beat(): void;
  /** Whether the client's credential permits the stream. The result is at most five seconds old. */
  isAllowed(): Promise<boolean>;
  /** Ends the response and removes the stream. Idempotent. */
  end(): void;
}

interface Kept {
  readonly stream: OpenStream;
  readonly share: Share;
  /** When to send the next heartbeat, by the process clock. */
  beatAt: number;
  /** Number of heartbeats until the credential is checked. */
  untilCheck: number;
}

/**
 * One timer for all open event streams: sends heartbeats, and ends streams whose workspace was
 * closed or whose credential was revoked. A stream checks its credential again before it sends
 * data.
 */
@Injectable()
export class OpenStreams implements OnModuleDestroy {
  readonly #gate: Pick<WorkspaceGate, 'requireOpen'>;
  readonly #kept = new Set<Kept>();
  #timer: NodeJS.Timeout | null = null;
  #closing = false;
  /**
   * How often each workspace is checked; one check covers all its streams. Including the age of the
   * cached result, a stream ends within five seconds.
   */
  protected readonly roundMs: number = 1_000;
  protected readonly heartbeatMs: number = 15_000;
  /**
   * An idle stream checks its credential with every fourth heartbeat, because each check costs a
   * query.
   */
  protected readonly beatsPerCheck: number = 4;

  constructor(gate: WorkspaceGate) {
    this.#gate = gate;
  }

  /** The number of streams. */
  get count(): number {
    return this.#kept.size;
  }

  /**
   * Adds a stream of the current request. The stream is ended soon if the service stops. Returns a
   * function that removes it.
   */
  add(stream: OpenStream): () => void {
    // Random times, so that clients that connect together are not always served together.
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
    for (const one of this.#kept) if (one.beatAt <= now) this.#beat(one, now);
    // A workspace is open either for all its readers or for none.
    for (const streams of Map.groupBy(this.#kept, ({ stream }) => stream.caller.tenantId).values())
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
