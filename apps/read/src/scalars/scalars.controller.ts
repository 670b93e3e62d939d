import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requireExperiment } from '#experiments';
import { Caller, Does, NamesSeries, parse, Reads, ParseExperimentId } from '#http';
import type { ExperimentId } from '#model';
import {
  readScalars,
  readStoredScalars,
  type ScalarResult,
  scalarsArrow,
  scalarsCsv,
  scalarsJson,
  scalarsJsonLines,
  scalarsParquet,
} from '#series';
import { Store, type TenantScope } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { scalarsAddress } from './address-query.ts';
import { reserveResponse } from './response-memory.ts';
import { scalarRequest, type ScalarsQuery, scalarsQuery } from './scalars-query.ts';
import { sendTagged } from './send.ts';
import { waitVisible } from '../frontier/wait-visible.ts';

const arrowType = 'application/vnd.apache.arrow.stream';
const jsonLinesType = 'application/x-ndjson';
const parquetType = 'application/vnd.apache.parquet';
/** Media types that a client can accept; the first is the default. */
const mediaTypes = ['application/json', 'text/csv', arrowType, parquetType, jsonLinesType];
/** Effective points as stored, without any selection of steps or columns. */
const chunksType = 'application/vnd.plotline.chunks';

/** Scalars of many runs and tags at once, downsampled or raw (api.md, "Scalars query"). */
@Controller('api/v1/experiments/:experimentId/scalars')
export class ScalarsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Post('query')
  @Reads()
  @NamesSeries()
  async query(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#respond(caller, experimentId, parse(scalarsQuery, body), request, response);
  }

  /** The same for one series, for browsers and curl. */
  @Does('experiment.view')
  @Get()
  async read(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Query() address: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const query = parse(scalarsQuery, parse(scalarsAddress, address, 'the query'), 'the query');
    await this.#respond(caller, experimentId, query, request, response);
  }

  async #respond(caller: Caller, experimentId: ExperimentId, query: ScalarsQuery, request: Request, response: Response): Promise<void> {
    const { tenantId } = caller;
    await waitVisible(this.#store, this.#watch, caller, experimentId, query);
    const wanted = scalarRequest(experimentId, query, caller.view);
    const admit = (scope: TenantScope) => requireExperiment(scope, caller, experimentId, 'experiment.view');
    const reserve = reserveResponse(response);
    const type = request.accepts(isWhole(query) ? [...mediaTypes, chunksType] : mediaTypes) || mediaTypes[0]!;
    if (type === chunksType) {
      const { pieces, nextPageToken } = await readStoredScalars(this.#store, tenantId, wanted, admit, reserve);
      if (nextPageToken !== null) response.setHeader('Next-Page-Token', nextPageToken);
      await sendTagged(request, response, chunksType, pieces);
      return;
    }
    const result = await readScalars(this.#store, tenantId, wanted, admit, reserve);
    if (result.nextPageToken !== null && type !== 'application/json') response.setHeader('Next-Page-Token', result.nextPageToken);
    await sendTagged(request, response, contentTypes[type] ?? type, await write(type, result, query));
  }
}

/** Whether a query requests all effective points of its series, with all columns. */
function isWhole({ sampling, superseded, steps, columns }: ScalarsQuery): boolean {
  return sampling === 'raw' && !superseded && !steps && !columns;
}

const contentTypes: Readonly<Record<string, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
};

function write(type: string, response: ScalarResult, query: ScalarsQuery): Promise<Uint8Array[]> {
  const columns = query.columns ?? null;
  if (type === 'text/csv') return scalarsCsv(response, columns, query.guard_formulas);
  if (type === parquetType) return scalarsParquet(response, columns);
  if (type === jsonLinesType) return scalarsJsonLines(response, columns);
  return type === arrowType ? scalarsArrow(response, columns) : scalarsJson(response, columns);
}
