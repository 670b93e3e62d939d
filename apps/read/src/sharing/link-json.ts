import { z } from 'zod';
import type { ShareLinkSummary } from '#store';

const time = z.iso.datetime();

/** The fields of a link in every response. */
export const linkFields = {
  id: z.string(),
  kind: z.enum(['page', 'embed']),
  name: z.string(),
  experiment: z.string().meta({ description: 'The experiment that the link shows; for a frozen link, the snapshot.' }),
  frozen: z.boolean(),
  runs: z.array(z.string()).nullable().meta({ description: 'The link shows only these runs. Null means all runs.' }),
  tags: z.array(z.string()).nullable(),
  anonymous: z.boolean(),
  logs: z.boolean().meta({ description: 'Whether the link also shows the logs of its runs.' }),
  origins: z.array(z.string()).nullable().meta({ description: 'Sites that may frame the embed. Null for other links.' }),
  view: z.string().nullable().meta({ description: 'The query string with which the page opens. Null if there is none.' }),
  expires_at: time.nullable(),
};

/** A link, for callers who may see that it exists. Its secret cannot be read back. */
export const linkJson = z.object({
  ...linkFields,
  made_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  created_at: time,
});

/** Serializes a link. */
export function toLinkJson(link: ShareLinkSummary): z.input<typeof linkJson> {
  return {
    id: link.linkId,
    kind: link.kind === 'embed' ? 'embed' : 'page',
    name: link.name,
    experiment: link.experimentId,
    frozen: link.experimentId !== link.sourceId,
    runs: link.runs && [...link.runs],
    tags: link.tags && [...link.tags],
    anonymous: link.anonymous,
    logs: link.logs === true,
    origins: link.origins && [...link.origins],
    view: link.parameters,
    expires_at: link.expiresAt?.toISOString() ?? null,
    made_by: link.madeBy,
    created_at: link.createdAt.toISOString(),
  };
}
