import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requireExperiment } from '#experiments';
import { Caller, Credentials } from '#http';
import { frontierJson } from '#series';
import { type Frontier, listRunStates, type RunState, Store } from '#store';
import { exactFloat } from '../json.ts';
import { FrontierWatch } from './frontier-watch.ts';

const heartbeatMs = 15_000;
/** A slow reader is cut rather than buffered for; EventSource comes back by itself. */
const maxBufferedBytes = 1024 * 1024;

/**
 * Server-sent events of an experiment: `frontier` when it moved, `run` when a run appeared or changed its status, `deleted` at the end.
 * Each is a hint to ask again; after a reconnection the first `frontier` says where things are.
 */
@Controller('api/v1/experiments/:experimentId/events')
export class EventsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;
  readonly #credentials: Credentials;

  constructor(store: Store, watch: FrontierWatch, credentials: Credentials) {
    this.#store = store;
    this.#watch = watch;
    this.#credentials = credentials;
  }

  @Get()
  async stream(
    @Caller() caller: Caller,
    @Param('experimentId') experimentId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { tenantId } = caller;
    await this.#store.withTenant(tenantId, (trx) => requireExperiment(trx, caller, experimentId), { readOnly: true });
    let told: string | null = null;
    const runs = new Map<string, string>();
    let telling = Promise.resolve();
    const unsubscribe = this.#watch.subscribe(tenantId, experimentId, (frontier) => {
      telling = telling.then(() => tell(frontier)).catch(end); // what cannot be told now is told after a reconnection
    });
    const send = (event: string, data: unknown): void => {
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > maxBufferedBytes) end();
    };
    const tell = async (frontier: Frontier | null): Promise<void> => {
      if (response.writableEnded) return;
      if (!frontier) {
        send('deleted', { id: experimentId });
        return end();
      }
      const json = frontierJson(frontier);
      const text = JSON.stringify(json);
      if (text === told) return;
      told = text;
      send('frontier', json);
      const states = await this.#store.withTenant(tenantId, (trx) => listRunStates(trx, tenantId, experimentId), { readOnly: true });
      for (const state of states) {
        if (runs.get(state.runId) === state.status) continue;
        runs.set(state.runId, state.status);
        send('run', runEvent(state));
      }
    };
    const heartbeat = setInterval(() => {
      response.write(': still here\n\n');
      // A token that was revoked meanwhile ends its streams too.
      this.#credentials.stillHold(request).then((holds) => (holds ? undefined : end()), end);
    }, heartbeatMs);
    const end = (): void => {
      clearInterval(heartbeat);
      unsubscribe();
      this.#watch.closing.removeEventListener('abort', end);
      response.end();
    };
    response.status(200).setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store, no-transform');
    response.setHeader('X-Accel-Buffering', 'no'); // proxies that know it pass events on at once
    response.flushHeaders();
    response.on('close', end).on('error', end);
    this.#watch.closing.addEventListener('abort', end);
    if (this.#watch.closing.aborted) end();
  }
}

function runEvent(run: RunState): Record<string, unknown> {
  return { run: run.run, status: run.status, start_time: exactFloat(run.startTime), last_time: exactFloat(run.lastTime) };
}
