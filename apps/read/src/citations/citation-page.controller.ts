import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Caller, Does, Page, parse, ParseExperimentId, PublicUrl, sendFramed } from '#http';
import type { ExperimentId } from '#model';
import { Store } from '#store';
import { toCitation } from './citation-json.ts';
import { citationPage } from './citation-page.ts';
import { readCitation } from './read-citation.ts';

const noQuery = z.strictObject({});

/**
 * The page that a citation links to. It needs no script, so it keeps working in future browsers.
 */
@Controller()
export class CitationPageController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, publicUrl: PublicUrl) {
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Page()
  @Does('experiment.files')
  @Get('e/:experimentId/citation')
  async citation(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Query() query: unknown,
    @Res() response: Response,
  ): Promise<void> {
    parse(noQuery, query, 'the query');
    const stored = await this.#store.withSnapshot(caller.tenantId, (snapshot) => readCitation(snapshot, caller, experimentId));
    const citation = toCitation(experimentId, stored, this.#publicUrl);
    await sendFramed(response, 200, {
      title: stored.title,
      kind: 'page',
      caller: caller.view ? null : caller,
      content: citationPage(citation, stored, this.#publicUrl.path),
    });
  }
}
