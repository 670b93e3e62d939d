import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { cutPage, idAfter, readPage, requireExperiment, staleToken } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { dataClasses, type ExperimentId, isSeriesId } from '#model';
import { listTags, Store, type TagSummary } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { paging, waiting } from '../query-schemas.ts';

/** A tag in responses. */
export const tagJson = z.object({
  tag: z.string(),
  plugin: z.string(),
  data_class: z.enum(dataClasses),
  runs: z.int().meta({ description: 'Runs with this tag.' }),
  display_name: z.string(),
  description: z.string(),
  superseded_points: z.int().meta({ description: 'Scalar points that a restart superseded, across all runs.' }),
});

export const tagsQuery = z.strictObject({ ...paging, ...waiting });

/**
 * A page draws a card for each tag, so without a `page_size`, one page has up to this many tags.
 */
const maxTags = 10_000;

/** The tags of an experiment, across all its runs. */
@Controller('api/v1/experiments/:experimentId/tags')
export class TagsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { page_size, page_token, ...wait } = parse(tagsQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['tags', experimentId], { byDefault: maxTags, max: maxTags });
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const rows = await this.#store.withSnapshot(caller.tenantId, async (snapshot) => {
      await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
      return listTags(snapshot, { experimentId, limit: page.size + 1, after: idAfter(page, isSeriesId), view: caller.view });
    });
    if (!rows) throw staleToken();
    const { items, nextPageToken } = cutPage(rows, page, (row) => row.seriesId);
    return { tags: items.map(toTagJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }
}

/** Serializes a tag. */
export function toTagJson(tag: TagSummary): z.input<typeof tagJson> {
  return {
    tag: tag.tag,
    plugin: tag.plugin,
    data_class: tag.dataClass,
    runs: tag.runs,
    display_name: tag.displayName,
    description: tag.description,
    superseded_points: tag.supersededPoints,
  };
}
