import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { decide, requireExperiment } from '#experiments';
import { Caller, Credentials, Does, parse, seesTheSame, WorkspaceGate } from '#http';
import { Store } from '#store';
import { type EventState, eventsBetween, eventStateOf, eventText, isSameState } from './event-state.ts';
import { FrontierWatch, type Look } from './frontier-watch.ts';

const nothing = z.strictObject({});
const heartbeatMs = 15_000;
/** How often it is asked whether the workspace still works; together with the age of the answer less than five seconds. */
const lookMs = 2_000;
/** A slow reader is cut rather than buffered for; EventSource comes back by itself. */
const maxBufferedBytes = 1024 * 1024;

/**
 * Server-sent events of an experiment: `frontier` when it moved, `run` when a run appeared or changed, `deleted` at the end. Each is a hint to
 * ask again. Each moment ends with an id; whoever comes back with it as `Last-Event-ID` is told nothing twice where nothing changed since,
 * and all of the present otherwise: events are states, so nothing is missed by that.
 */
@Controller('api/v1/experiments/:experimentId/events')
export class EventsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;
  readonly #credentials: Credentials;
  readonly #gate: WorkspaceGate;

  constructor(store: Store, watch: FrontierWatch, credentials: Credentials, gate: WorkspaceGate) {
    this.#gate = gate;
    this.#store = store;
    this.#watch = watch;
    this.#credentials = credentials;
  }

  @Does('experiment.view')
  @Get()
  async stream(
    @Caller() caller: Caller,
    @Param('experimentId') experimentId: string,
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    parse(nothing, query, 'the query');
    const { tenantId } = caller;
    await this.#store.withTenant(tenantId, (trx) => requireExperiment(trx, caller, experimentId, 'experiment.view'), { readOnly: true });
    // What EventSource had seen when its stream broke; anything else than the present state is told anew, all of it.
    const resumed = request.headers['last-event-id'];
    let told: EventState | null = null;
    let telling = Promise.resolve();
    const unsubscribe = this.#watch.subscribe(tenantId, experimentId, (look) => {
      telling = telling.then(() => tell(look)).catch(end); // what cannot be told now is told after a reconnection
    });
    const stillAllowed = async (): Promise<boolean> => {
      const now = await this.#credentials.identifyAgain(request);
      // Who is no member any more may still hold a link to a part of it: that is another stream.
      return (
        now !== null && seesTheSame(now, caller) && decide(now, 'experiment.view', { tenantId, experimentId, ownerId: null }) === 'allowed'
      );
    };
    const send = (text: string): void => {
      if (text === '') return;
      response.write(text);
      if (response.writableLength > maxBufferedBytes) end();
    };
    const tell = async (look: Look | null): Promise<void> => {
      if (response.writableEnded) return;
      if (!look) {
        send(eventText({ event: 'deleted', data: JSON.stringify({ id: experimentId }) }, null));
        return end();
      }
      if (isSameState(told, look, caller.view)) return;
      // Nobody is told anything later than five seconds after what they came by was revoked.
      if (!(await stillAllowed())) return end();
      const state = await eventStateOf(look, caller.view);
      if (told !== null || state.id !== resumed) send(eventsBetween(told, state));
      told = state;
    };
    const heartbeat = setInterval(() => {
      response.write(': still here\n\n');
      // A token that was revoked meanwhile ends its streams too.
      stillAllowed().then((allowed) => (allowed ? undefined : end()), end);
    }, heartbeatMs);
    const looking = setInterval(() => void this.#gate.requireOpen(caller, 'experiment.read').catch(end), lookMs);
    const end = (): void => {
      clearInterval(heartbeat);
      clearInterval(looking);
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
