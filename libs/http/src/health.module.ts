import { Controller, Get, Inject, Module, Optional } from '@nestjs/common';
import { Problem } from '#model';
import { ping, Store } from '#store';
import { Public, Uncounted } from './decorators.ts';

/**
 * The health of this process. The composing app provides an implementation; without one, a process
 * is ready as long as the database responds.
 */
export abstract class Health {
  /** Null, or the reason why this process should be restarted. */
  abstract whyDead(): Promise<string | null>;
  /**
   * Null, or the reason why this process cannot work now. May throw a `Problem` if a dependency is
   * down.
   */
  abstract whyNotReady(): Promise<string | null>;
}

/** For a process that serves data from the database. */
class DatabaseHealth extends Health {
  readonly #store: Store;

  constructor(store: Store) {
    super();
    this.#store = store;
  }

  override async whyDead(): Promise<null> {
    return null;
  }

  override async whyNotReady(): Promise<null> {
    await ping(this.#store.global);
    return null;
  }
}

/** For orchestrators and load balancers. */
@Controller()
export class HealthController {
  readonly #health: Health;
  #stopping = false;

  constructor(@Inject(Store) store: Store, @Optional() @Inject(Health) health?: Health) {
    this.#health = health ?? new DatabaseHealth(store);
  }

  /**
   * From now on, the process is not ready: proxies send requests to other processes, and this
   * process can stop.
   */
  beginStop(): void {
    this.#stopping = true;
  }

  /**
   * Null, or the reason why this process gets no requests now. May throw a `Problem` if a
   * dependency is down.
   */
  async whyNotReady(): Promise<string | null> {
    return this.#stopping ? 'The process is stopping.' : this.#health.whyNotReady();
  }

  /** Liveness: fails only when a restart would help. */
  @Public()
  @Uncounted()
  @Get('healthz')
  async health() {
    return okUnless(await this.#health.whyDead());
  }

  /** Readiness: 503 with the reason while the process cannot work. */
  @Public()
  @Uncounted()
  @Get('readyz')
  async ready() {
    return okUnless(await this.whyNotReady());
  }
}

function okUnless(reason: string | null): { status: 'ok' } {
  if (reason !== null) throw new Problem('not-ready', reason);
  return { status: 'ok' };
}

/** `/healthz` and `/readyz` of a process. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
