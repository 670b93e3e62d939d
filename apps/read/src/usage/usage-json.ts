import { z } from 'zod';
import { quotaNames } from '#model';
import type { Usage } from '#store';
import { reportUsage, type Terms } from '#workspaces';

/** The state of one quota. */
export const quotaJson = z.object({
  used: z.int(),
  limit: z.int(),
  state: z.enum(['ok', 'warning', 'exceeded']).meta({ description: 'warning: at 80 % or more; exceeded: requests are rejected.' }),
});

export const usageJson = z.object({
  quotas: z.object(
    Object.fromEntries(quotaNames.map((name) => [name, quotaJson])) as Record<(typeof quotaNames)[number], typeof quotaJson>,
  ),
  bytes: z.object({
    originals: z.int().meta({ description: 'Bytes of event files, before compression.' }),
    values: z.int().meta({ description: 'Tensors and blobs extracted from event files, counted each time they were logged.' }),
    exports: z.int().meta({ description: 'Bytes of export results, until they expire.' }),
    being_deleted: z.int().meta({ description: 'Bytes of deleted objects that are not removed yet.' }),
  }),
  suspension: z
    .object({ mode: z.enum(['read-only', 'closed']), reason: z.string(), since: z.iso.datetime() })
    .nullable()
    .meta({ description: 'Null while the workspace is not suspended.' }),
});

/** The usage and quotas of a workspace. `requests`: used in the current minute. */
export function toUsageJson(usage: Usage, { quotas, suspension }: Terms, requests: number): z.input<typeof usageJson> {
  const uses = reportUsage(usage, quotas, requests).map(({ name, used, limit, state }) => [name, { used, limit, state }] as const);
  return {
    quotas: Object.fromEntries(uses) as z.input<typeof usageJson>['quotas'],
    bytes: { originals: usage.originalBytes, values: usage.valueBytes, exports: usage.exportBytes, being_deleted: usage.deletingBytes },
    suspension: suspension && { mode: suspension.mode, reason: suspension.reason, since: suspension.since.toISOString() },
  };
}
