import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { citationBibtex, citationDataCite } from '#citations';
import { Caller, Does, ParseExperimentId, PublicUrl } from '#http';
import type { ExperimentId } from '#model';
import { Store, type StoredCitation } from '#store';
import { toCitation, toCitationJson } from './citation-json.ts';
import { readCitation } from './read-citation.ts';

/** The citation of a snapshot: as text, as BibTeX, and as the metadata of a DOI. */
@Controller('api/v1/experiments/:experimentId/citation')
export class CitationsController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, publicUrl: PublicUrl) {
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Does('experiment.files')
  @Get()
  async read(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId) {
    return toCitationJson(experimentId, await this.#find(caller, experimentId), this.#publicUrl);
  }

  @Does('experiment.files')
  @Get('bibtex')
  async bibtex(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Res() response: Response,
  ): Promise<void> {
    const citation = toCitation(experimentId, await this.#find(caller, experimentId), this.#publicUrl);
    download(response, `plotline-${experimentId}.bib`, 'application/x-bibtex; charset=utf-8').end(citationBibtex(citation));
  }

  @Does('experiment.files')
  @Get('datacite')
  async datacite(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Res() response: Response,
  ): Promise<void> {
    const stored = await this.#find(caller, experimentId);
    const { scalars, tensors, blobSequences, copyOf } = stored;
    const document = citationDataCite(toCitation(experimentId, stored, this.#publicUrl), {
      url: this.#publicUrl.at(`/e/${copyOf}`),
      values: scalars + tensors + blobSequences,
    });
    download(response, `plotline-${experimentId}.datacite.json`, 'application/json; charset=utf-8').end(JSON.stringify(document, null, 2));
  }

  #find(caller: Caller, experimentId: ExperimentId): Promise<StoredCitation> {
    return this.#store.withTenant(caller.tenantId, (scope) => readCitation(scope, caller, experimentId), { readOnly: true });
  }
}

function download(response: Response, name: string, type: string): Response {
  return response
    .setHeader('Content-Type', type)
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Cache-Control', 'private, no-cache')
    .setHeader('Content-Disposition', `attachment; filename="${name}"`);
}
