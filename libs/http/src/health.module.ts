import { Controller, Get, Inject, Module, Optional } from '@nestjs/common';
import { Problem } from '#model';
import { ping, Store } from '#store';
import { Public, Uncounted } from './decorators.ts';

/** How this process is. The composing app provides one; without it, a process is ready while the database answers. */
export abstract class Health {
  /** Null, or why this process should be started anew. */
  abstract whyDead(): Promise<string | null>;
  /** Null, or why it cannot do its work now. Throws a `Problem` as well when what it needs is away. */
  abstract whyNotReady(): Promise<string | null>;
}

/** A process whose work is to answer with what the database says. */
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

/** For whoever restarts processes and sends them requests. */
@Controller()
export class HealthController {
  readonly #health: Health;

  constructor(@Inject(Store) store: Store, @Optional() @Inject(Health) health?: Health) {
    this.#health = health ?? new DatabaseHealth(store);
  }

  /** Liveness: fails only when a restart would help. */
  @Public()
  @Uncounted()
  @Get('healthz')
  async health() {
    return okUnless(await this.#health.whyDead());
  }

  /** The process can do its work: 503 with the reason while it cannot. */
  @Public()
  @Uncounted()
  @Get('readyz')
  async ready() {
    return okUnless(await this.#health.whyNotReady());
  }
}

function okUnless(reason: string | null): { status: 'ok' } {
  if (reason !== null) throw new Problem('not-ready', reason);
  return { status: 'ok' };
}

/** `/healthz` and `/readyz` of a process. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
