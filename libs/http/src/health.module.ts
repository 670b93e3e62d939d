import { Controller, Get, Inject, Module, Optional } from '@nestjs/common';
import { ping, Store } from '#store';
import { Public } from './decorators.ts';

/** Whether this process can do its work now. The composing app may provide one; without it, the database is asked. */
export abstract class Readiness {
  /** Throws a `Problem` of status 503 that says what is missing. */
  abstract check(): Promise<void>;
}

/** For whoever restarts processes and sends them requests. */
@Controller()
export class HealthController {
  readonly #check: () => Promise<void>;

  constructor(@Inject(Store) store: Store, @Optional() @Inject(Readiness) readiness?: Readiness) {
    this.#check = readiness ? () => readiness.check() : () => ping(store.global);
  }

  /** The process runs: its event loop answers. */
  @Public()
  @Get('healthz')
  health() {
    return { status: 'ok' };
  }

  /** The process can do its work: 503 with the reason while it cannot. */
  @Public()
  @Get('readyz')
  async ready() {
    await this.#check();
    return { status: 'ok' };
  }
}

/** `/healthz` and `/readyz` of a process. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
