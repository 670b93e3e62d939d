import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { cutPage, idAfter, readPage, requireExperiment, staleToken } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { type ExperimentId, isFileId } from '#model';
import { listFiles, listProblems, type ProblemPlace, Store, type StoredProblem } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { paging, waiting } from '../query-schemas.ts';
import { toFileJson, toProblemJson } from './file-json.ts';

export const pageQuery = z.strictObject({ ...paging, ...waiting });

/** The event files of an experiment, and their problems. */
@Controller('api/v1/experiments/:experimentId')
export class FilesController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.files')
  @Get('files')
  async files(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { page_size, page_token, ...wait } = parse(pageQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['files', experimentId]);
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const rows = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.files');
        return listFiles(scope, experimentId, page.size + 1, idAfter(page, isFileId), caller.view);
      },
      { readOnly: true },
    );
    if (!rows) throw staleToken();
    const { items, nextPageToken } = cutPage(rows, page, (file) => file.fileId);
    return { files: items.map(toFileJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('experiment.files')
  @Get('problems')
  async problems(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { page_size, page_token, ...wait } = parse(pageQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['problems', experimentId]);
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const rows = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.files');
        return listProblems(scope, experimentId, page.size + 1, placeOf(page.after), caller.view);
      },
      { readOnly: true },
    );
    if (!rows) throw staleToken();
    const { items, nextPageToken } = cutPage(rows, page, placeId);
    return { problems: items.map(toProblemJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }
}

function placeId({ fileId, offset, number }: StoredProblem): string {
  return `${fileId}.${offset}.${number}`;
}

function placeOf(id: string | null): ProblemPlace | null {
  if (id === null) return null;
  const parts = /^([0-9]{1,18})\.([0-9]{1,15})\.([0-9]{1,9}|2147483647)$/.exec(id);
  const fileId = parts?.[1];
  if (!parts || fileId === undefined || !isFileId(fileId)) throw staleToken();
  return { fileId, offset: Number(parts[2]), number: Number(parts[3]) };
}
