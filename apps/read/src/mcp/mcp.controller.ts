import { once } from 'node:events';
import { Body, Controller, Logger, Post, Req, Res, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Caller, contextOf, Does, notSignedIn, PublicUrl, Reads, requireStill } from '#http';
import { Problem } from '#model';
import { mapStoreError, rejectionOfText, Store } from '#store';
import { serviceVersion } from '#telemetry';
import { ExperimentsController } from '../experiments/experiments.controller.ts';
import { FilesController } from '../receipt/files.controller.ts';
import { RunsController } from '../runs/runs.controller.ts';
import { SeriesListController } from '../series-list/series-list.controller.ts';
import { readSource } from './read-source.ts';

/** Accepted, without a body: a notification (MCP, streamable HTTP). */
const accepted = 202;

/**
 * The Model Context Protocol over streamable HTTP: the read-only tools of #summaries. Stateless,
 * without sessions or streams: each POST has one message and gets JSON. Credentials are the same as
 * for the API: an access token, or the secret of a link in `Plotline-Share`. Browser cookies do not
 * count.
 */
@Controller('mcp')
export class McpController {
  readonly #log = new Logger('mcp');
  readonly #modules: ModuleRef;
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(modules: ModuleRef, store: Store, publicUrl: PublicUrl) {
    this.#modules = modules;
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Does('experiment.view')
  @Post()
  @Reads()
  async handle(@Caller() caller: Caller, @Body() body: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    if (caller.via === 'session') throw notSignedIn();
    this.#requireOurOrigin(request);
    if (Array.isArray(body)) throw new Problem('bad-request', 'Send one JSON-RPC message at a time; batches are not supported.');
    const { mcpServer, WebStandardStreamableHTTPServerTransport } = await protocol();
    const server = mcpServer(this.#source(caller, response), {
      version: serviceVersion(),
      explain: (error) => this.#explain(error, contextOf(request).id),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const ended = new AbortController();
    try {
      await server.connect(transport);
      const gone = once(response, 'close', { signal: ended.signal }).then(
        () => null,
        () => null,
      );
      const result = await Promise.race([transport.handleRequest(this.#webRequest(request), { parsedBody: body ?? null }), gone]);
      if (result === null) return; // nothing waits for it
      const text = await result.text();
      if (result.status >= 400) throw new Problem('bad-request', messageOf(text));
      await requireStill(caller);
      if (result.status === accepted) response.status(accepted).end();
      else response.status(200).setHeader('Content-Type', 'application/json; charset=utf-8').end(text);
    } finally {
      ended.abort();
      await server.close();
    }
  }

  #source(caller: Caller, response: Response) {
    const get = <T>(controller: Type<T>): T => this.#modules.get(controller, { strict: false });
    return readSource(
      {
        experiments: get(ExperimentsController),
        runs: get(RunsController),
        series: get(SeriesListController),
        files: get(FilesController),
        store: this.#store,
      },
      caller,
      response,
    );
  }

  /**
   * MCP, streamable HTTP, "Security warning": a page whose host name was redirected to this server
   * must get nothing (DNS rebinding). Programs send no Origin.
   */
  #requireOurOrigin({ headers }: Request): void {
    if (headers.origin !== undefined && !this.#publicUrl.isOurOrigin(headers.origin, headers.host))
      throw new Problem('forbidden', 'Pages from other origins cannot use this address.');
  }

  /**
   * The request for the SDK. We always respond with JSON and have already read the body within our
   * limits, so only the protocol version matters.
   */
  #webRequest({ headers }: Request): globalThis.Request {
    const version = headers['mcp-protocol-version'];
    return new globalThis.Request(this.#publicUrl.at('/mcp'), {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
      },
    });
  }

  #explain(error: unknown, requestId: string): { code: string; detail: string } {
    const problem = rejectionOfText(error) ?? mapStoreError(error);
    if (problem instanceof Problem && problem.code !== 'internal') return { code: problem.code, detail: problem.message };
    this.#log.error({ message: 'A tool failed.', request_id: requestId, err: error });
    return {
      code: 'internal',
      detail: `Something went wrong on our side. Try again. If it happens again, give the operator the request id ${requestId}.`,
    };
  }
}

/**
 * The protocol, loaded with the first message: its libraries take 7 MB of heap, which each full
 * garbage collection marks.
 */
async function protocol() {
  const [{ mcpServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import('#summaries/mcp'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ]);
  return { mcpServer, WebStandardStreamableHTTPServerTransport };
}

/** The text of a JSON-RPC error. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // The body is not JSON: the general text is sufficient.
  }
  return 'The JSON-RPC message cannot be read.';
}
