import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { decide, requireExperiment } from '#experiments';
import { Caller, Credentials, Does, parse, seesTheSame, ParseExperimentId } from '#http';
import type { ExperimentId } from '#model';
import { Store } from '#store';
import { type EventState, eventsBetween, eventStateOf, eventText, isSameState } from './event-state.ts';
import { FrontierWatch, type Look } from './frontier-watch.ts';
import { OpenStreams } from './open-streams.ts';

const nothing = z.strictObject({});
/** A heartbeat: a comment, which clients ignore. */
const heartbeat = ': still here\n\n';
/**
 * A slow reader is disconnected if more bytes than this are buffered for it. EventSource reconnects
 * automatically.
 */
const maxBufferedBytes = 1024 * 1024;

/**
 * Server-sent events of an experiment: `frontier` when the frontier moves, `run` when a run appears
 * or changes, `deleted` when the experiment is deleted. Each event is a hint to query again. Each
 * state ends with an id. A client that reconnects with this id as `Last-Event-ID` gets nothing if
 * nothing has changed, and the complete current state otherwise: events are states, so nothing is
 * missed.
 */
@Controller('api/v1/experiments/:experimentId/events')
export class EventsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;
  readonly #credentials: Credentials;
  readonly #open: OpenStreams;

  constructor(store: Store, watch: FrontierWatch, credentials: Credentials, open: OpenStreams) {
    this.#open = open;
    this.#store = store;
    this.#watch = watch;
    this.#credentials = credentials;
  }

  @Does('experiment.view')
  @Get()
  async stream(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    parse(nothing, query, 'the query');
    const { tenantId } = caller;
    await this.#store.withTenant(tenantId, (scope) => requireExperiment(scope, caller, experimentId, 'experiment.view'), {
      readOnly: true,
    });
    // The last state that EventSource received before its stream broke; unless it is the current
    // state, the whole state is sent again.
    const resumed = request.headers['last-event-id'];
    let sent: EventState | null = null;
    let telling = Promise.resolve();
    const unsubscribe = this.#watch.subscribe(tenantId, experimentId, (look) => {
      telling = telling.then(() => tell(look)).catch(end); // what cannot be sent now is sent after a reconnection
    });
    const stillAllowed = async (): Promise<boolean> => {
      const now = await this.#credentials.identifyAgain(request);
      // A former member may still have a link to a part of the experiment, which would be a
      // different stream.
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
      if (isSameState(sent, look, caller.view)) return;
      const state = await eventStateOf(look, caller.view);
      // The credential is checked last: no data is sent more than five seconds after it was
      // revoked.
      if (!(await stillAllowed())) return end();
      if (sent !== null || state.id !== resumed) send(eventsBetween(sent, state));
      sent = state;
    };
    const end = (): void => {
      remove();
      unsubscribe();
      response.end();
    };
    const remove = this.#open.add({ caller, beat: () => send(heartbeat), isAllowed: stillAllowed, end });
    response.status(200).setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store, no-transform');
    response.setHeader('X-Accel-Buffering', 'no'); // proxies that know it forward events immediately
    response.flushHeaders();
    response.on('close', end).on('error', end);
  }
}
