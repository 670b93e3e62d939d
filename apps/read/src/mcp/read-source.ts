import type { Response } from 'express';
import { decide, forbidden, requireExperiment, requireExperimentId } from '#experiments';
import { type Caller, parse } from '#http';
import type { ExperimentId } from '#model';
import { readScalars, scalarsJson } from '#series';
import type { Store } from '#store';
import type { Json, Query, Source } from '#summaries';
import type { ExperimentsController } from '../experiments/experiments.controller.ts';
import type { FilesController } from '../receipt/files.controller.ts';
import type { RunsController } from '../runs/runs.controller.ts';
import { reserveResponse } from '../scalars/response-memory.ts';
import { scalarRequest, scalarsQuery } from '../scalars/scalars-query.ts';
import type { SeriesListController } from '../series-list/series-list.controller.ts';

/** The handlers of the routes that summaries read. */
export interface ReadHandlers {
  readonly experiments: ExperimentsController;
  readonly runs: RunsController;
  readonly series: SeriesListController;
  readonly files: FilesController;
  readonly store: Store;
}

/**
 * The read API for one admitted request, in this process: the same handlers with the same caller,
 * so the permissions, views, bounds and shares of the routes apply. `response` is the request's
 * response; memory for large results is reserved until it is sent.
 */
export function readSource(handlers: ReadHandlers, caller: Caller, response: Response): Source {
  const id = (text: string): ExperimentId => requireExperimentId(text);
  return {
    experiments: async (query: Query) => {
      if (caller.view)
        return {
          experiments: await Promise.all([...(caller.experiments ?? [])].map((one) => handlers.experiments.read(caller, id(one), {}))),
        };
      // The guard checked the action of this route; the list requires another action.
      const verdict = decide(caller, 'experiment.read');
      if (verdict !== 'allowed') throw forbidden(caller, verdict);
      return handlers.experiments.list(caller, query);
    },
    experiment: (experiment) => handlers.experiments.read(caller, id(experiment), {}),
    runs: (experiment, query) => handlers.runs.list(caller, id(experiment), query),
    series: (experiment, query) => handlers.series.list(caller, id(experiment), query),
    problems: (experiment, query) => handlers.files.problems(caller, id(experiment), query),
    scalars: async (experiment, body) => {
      const query = parse(scalarsQuery, body);
      const experimentId = id(experiment);
      const result = await readScalars(
        handlers.store,
        caller.tenantId,
        scalarRequest(experimentId, query, caller.view),
        (scope) => requireExperiment(scope, caller, experimentId, 'experiment.view'),
        reserveResponse(response),
      );
      return JSON.parse(Buffer.concat(await scalarsJson(result, query.columns ?? null)).toString('utf8')) as Json;
    },
  };
}
