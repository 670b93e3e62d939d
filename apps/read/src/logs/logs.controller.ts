import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { BlobStore } from '#blobs';
import { cutPage, idAfter, readPage, requireExperiment } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { type ExperimentId, isFileId, limits, Problem, seenNames, seesLogs, type View } from '#model';
import { bytesLost, type FileSource, originalGone, readFileRange } from '#originals';
import { findLogEntry, listLogs, nameHash, readLog, Store, type StoredLog } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { anyOf, paging, urlText, waiting } from '../query-schemas.ts';
import { linesOf, toLineJson, toLogJson } from './log-json.ts';
import { readLines, searchLines } from './read-lines.ts';

const lineNumber = z
  .string()
  .max(15)
  .regex(/^0{0,14}[1-9][0-9]{0,14}$/, 'should be a whole number of at least 1')
  .transform(Number);

export const logsQuery = z.strictObject({ run: anyOf.meta({ description: 'Only logs of these runs.' }), ...paging, ...waiting });
export const linesQuery = z.strictObject({
  from: lineNumber.optional().meta({
    description:
      'The number of the first line to return, starting at 1. By default, the last lines are returned, and a search starts at line 1.',
  }),
  lines: lineNumber
    .transform((lines) => Math.min(lines, limits.maxLogLines))
    .optional()
    .meta({
      description: `Maximum number of lines: 1,000 by default, 100 for a search. Larger values are reduced to ${limits.maxLogLines}.`,
    }),
  search: urlText(limits.maxLogSearchCharacters).optional().meta({ description: 'Only lines that contain this text, ignoring case.' }),
  ...waiting,
});

/**
 * Logs of runs: standard output and error, as text. Visitors see the logs that their link includes.
 */
@Controller('api/v1/experiments/:experimentId/logs')
export class LogsController {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #watch: FrontierWatch;

  constructor(store: Store, blobs: BlobStore, watch: FrontierWatch) {
    this.#store = store;
    this.#blobs = blobs;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { run, page_size, page_token, ...wait } = parse(logsQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['logs', experimentId, run]);
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const runs = runsInView(caller.view, run ?? null);
    const rows = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.view');
        return listLogs(scope, experimentId, runs && runs.map(nameHash), page.size + 1, idAfter(page, isFileId));
      },
      { readOnly: true },
    );
    const { items, nextPageToken } = cutPage(rows, page, ({ fileId }) => fileId);
    return { logs: items.map(toLogJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('experiment.view')
  @Get(':fileId')
  async lines(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('fileId') fileId: string,
    @Query() query: unknown,
  ) {
    const { from: asked, lines, search = '', ...wait } = parse(linesQuery, query, 'the query');
    const maxLines = lines ?? (search === '' ? 1_000 : 100);
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const firstOf = (total: number): number => asked ?? (search === '' ? Math.max(1, total - maxLines + 1) : 1);
    const { log, from, entry } = await this.#open(caller, experimentId, fileId, firstOf);
    const bounds = { linesBefore: entry.lines, from, maxLines, maxLineBytes: limits.maxLogLineBytes };
    const bytes = this.#bytes(caller, log, entry.offset);
    const { content, next } = await (
      search === ''
        ? readLines(bytes, { ...bounds, maxBytes: limits.maxLogAnswerBytes, maxReadBytes: limits.maxLogSearchBytes })
        : searchLines(bytes, search, { ...bounds, maxBytes: limits.maxLogSearchBytes })
    ).catch(bytesLost('Bytes of this log'));
    return { ...toLogJson(log), from, content: content.map(toLineJson), next };
  }

  /**
   * The log, and where to start reading for a line. Throws `file-not-found` even for logs that the
   * caller may not see.
   */
  async #open(caller: Caller, experimentId: ExperimentId, fileId: string, fromOf: (lines: number) => number) {
    return this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.view');
        const log = isFileId(fileId) ? await readLog(scope, experimentId, fileId) : null;
        if (!log || !seesLogs(caller.view, log.run)) throw noSuchLog();
        if (!log.kept) throw originalGone();
        const from = fromOf(linesOf(log));
        return { log, from, entry: await findLogEntry(scope, log.fileId, from - 1) };
      },
      { readOnly: true },
    );
  }

  #bytes({ tenantId }: Caller, { fileId, bytes }: StoredLog, start: number): AsyncGenerator<Buffer> {
    const inTenant: FileSource['inTenant'] = (work) => this.#store.withTenant(tenantId, work, { readOnly: true });
    return readFileRange({ inTenant, blobs: this.#blobs, tenantId, fileId }, { start, end: bytes });
  }
}

/** The requested runs whose logs a view includes; null means all runs. */
function runsInView(view: View | null, asked: readonly string[] | null): readonly string[] | null {
  if (!seesLogs(view)) return [];
  return seenNames(asked, view?.runs ?? null);
}

function noSuchLog(): Problem {
  return new Problem('file-not-found', 'There is no such log.');
}
