import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { BlobStore } from '#blobs';
import { checkText } from '#experiments';
import { Caller, Does, NamesSeries, parse, PublicUrl, WorkspaceGate, ParseExperimentId } from '#http';
import { type ExperimentId, limits } from '#model';
import { copyLogs } from '#originals';
import { Store } from '#store';
import { endShareLink, findShareLinks, makeShareLink } from '#workspaces';
import { lookUpName, urlText } from '../query-schemas.ts';
import { linkExpiry, linkName, maxLinkNameCharacters } from './link-body.ts';
import { toLinkJson } from './link-json.ts';
import { viewOfLink } from './view-of-link.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize).optional();

/**
 * An origin, as browsers write it. Wildcards are not allowed, nor characters that could end the
 * header that contains it.
 */
const origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$/, 'should be an origin, like https://example.org')
  .refine((text) => URL.canParse(text), 'must be an origin that browsers accept, with a port up to 65535');

export const linkBody = z.strictObject({
  name: linkName,
  runs: names.meta({ description: 'Show only these runs, by name. Default: all runs, including runs added later.' }),
  tags: names.meta({ description: 'Show only these tags. Default: all tags.' }),
  frozen: z
    .boolean()
    .default(false)
    .meta({ description: 'Show a snapshot of the current state. The snapshot never changes, and is kept when the experiment is deleted.' }),
  anonymous: z.boolean().default(false).meta({
    description: 'Hide the names of people, the workspace, files and hosts. Names of the experiment, runs and tags remain visible.',
  }),
  logs: z.boolean().default(false).meta({
    description: 'Also show the output of the runs. Not allowed with `anonymous`, because logs name people and machines.',
  }),
  embed_origins: z.array(origin).min(1).max(20).optional().meta({ description: 'Create an embed that pages of these sites may frame.' }),
  view: urlText(limits.maxSavedViewCharacters).optional().meta({
    description:
      'The view with which the page opens, as the query string of its address. Names that the link does not show are removed from the view. If the link is limited to runs or tags, filters are removed too.',
  }),
  expires_in_days: linkExpiry,
});

/** Links that show an experiment to anyone who has them: create, list, revoke. */
@Controller('api/v1')
export class ShareLinksController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;
  readonly #blobs: BlobStore;

  constructor(store: Store, publicUrl: PublicUrl, gate: WorkspaceGate, blobs: BlobStore) {
    this.#blobs = blobs;
    this.#gate = gate;
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  /** Accepts no `Idempotency-Key`: the response contains a secret, and is not stored. */
  @Does('experiment.share')
  @Post('experiments/:experimentId/share-links')
  @NamesSeries()
  async make(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Body() body: unknown) {
    const {
      name,
      runs = null,
      tags = null,
      frozen,
      anonymous,
      logs,
      embed_origins: origins = null,
      view,
      expires_in_days,
    } = parse(linkBody, body);
    checkText(name, 'name', maxLinkNameCharacters);
    const parameters = view === undefined ? null : viewOfLink(view, { runs, tags });
    const request = { name, parameters, runs, tags, frozen, anonymous, logs, origins, expiresInDays: expires_in_days };
    const { quotas } = await this.#gate.terms(caller.tenantId);
    const made = await makeShareLink(this.#store, caller, experimentId, {
      request,
      quotas,
      addLogs: (scope, copy) => copyLogs({ scope, blobs: this.#blobs }, copy),
    });
    return {
      id: made.linkId,
      url: this.#publicUrl.at(`/${origins ? 'embed' : 's'}/${made.secret}`),
      kind: origins ? 'embed' : 'page',
      name,
      experiment: made.experimentId,
      frozen,
      runs,
      tags: made.tags,
      anonymous,
      logs: made.logs,
      origins,
      view: parameters,
      expires_at: made.expiresAt?.toISOString() ?? null,
    };
  }

  @Does('experiment.share')
  @Get('experiments/:experimentId/share-links')
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId) {
    const links = await this.#store.withTenant(
      caller.tenantId,
      (scope) => findShareLinks(scope, caller, experimentId, limits.maxPageSize),
      {
        readOnly: true,
      },
    );
    return { share_links: links.map((link) => toLinkJson(link)) };
  }

  @Does('experiment.share')
  @Delete('share-links/:linkId')
  @HttpCode(204)
  async revoke(@Caller() caller: Caller, @Param('linkId') linkId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => endShareLink(scope, caller, linkId));
  }
}
