import { Controller, Inject, Optional } from '@nestjs/common';
import { Health, Public } from '#http';
import { Problem } from '#model';
import type { HealthCheckRequest, HealthCheckResponse, Sent } from '#protocols';
import { methods } from './codec.ts';
import { Message, Rpc } from './decorators.ts';

const serving = 1;
const notServing = 2;
const unknownService = 3;

/** `grpc.health.v1`, for load balancers and clients. */
@Controller()
export class GrpcHealthController {
  readonly #health: Health | undefined;

  constructor(@Optional() @Inject(Health) health?: Health) {
    this.#health = health;
  }

  @Public()
  @Rpc('grpc.health.v1.Health', 'Check')
  async check(@Message() { service }: HealthCheckRequest): Promise<Sent<HealthCheckResponse>> {
    if (service !== '' && !methods.some((method) => method.service === service)) return { status: unknownService };
    try {
      return { status: (await this.#health?.whyNotReady()) ? notServing : serving };
    } catch (error) {
      if (error instanceof Problem) return { status: notServing };
      throw error;
    }
  }
}
