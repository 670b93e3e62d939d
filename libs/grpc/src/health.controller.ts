import { Controller, Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HealthController, Public } from '#http';
import { Problem } from '#model';
import type { HealthCheckRequest, HealthCheckResponse, Sent } from '#protocols';
import { methods } from './codec.ts';
import { Message, Rpc } from './decorators.ts';

const serving = 1;
const notServing = 2;
const unknownService = 3;

/** `grpc.health.v1`, for load balancers and clients: returns the same state as `/readyz`. */
@Controller()
export class GrpcHealthController {
  readonly #modules: ModuleRef;

  constructor(@Inject(ModuleRef) modules: ModuleRef) {
    this.#modules = modules;
  }

  @Public()
  @Rpc('grpc.health.v1.Health', 'Check')
  async check(@Message() { service }: HealthCheckRequest): Promise<Sent<HealthCheckResponse>> {
    if (service !== '' && !methods.some((method) => method.service === service)) return { status: unknownService };
    try {
      const reason = await this.#modules.get(HealthController, { strict: false }).whyNotReady();
      return { status: reason === null ? serving : notServing };
    } catch (error) {
      if (error instanceof Problem) return { status: notServing };
      throw error;
    }
  }
}
