import { z } from 'zod';
import type { SavedView } from '#store';

/** A saved view in responses. */
export const savedViewJson = z.object({
  id: z.string(),
  experiment: z.string(),
  name: z.string(),
  view: z.string().meta({ description: "The query string of the page's address." }),
  shared: z.boolean().meta({ description: 'Whether all members of the workspace see the view. If false, only its owner sees it.' }),
  default: z
    .boolean()
    .meta({ description: 'Whether the page opens with this view if its address has no parameters. At most one per experiment.' }),
  owner: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .meta({ description: 'Who saved the view. Null if the person was erased.' }),
  updated: z.iso.datetime(),
});

/** Serializes a saved view. */
export function toSavedViewJson(view: SavedView): z.input<typeof savedViewJson> {
  return {
    id: view.viewId,
    experiment: view.experimentId,
    name: view.name,
    view: view.parameters,
    shared: view.shared,
    default: view.isDefault,
    owner: view.owner,
    updated: view.updatedAt.toISOString(),
  };
}
