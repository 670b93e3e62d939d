import { z } from 'zod';
import type { ReportLinkSummary } from '#store';

const time = z.iso.datetime();

/** The fields of a link to a report in every response. */
export const reportLinkFields = {
  id: z.string(),
  kind: z.literal('report'),
  name: z.string(),
  report: z.string(),
  anonymous: z.boolean(),
  expires_at: time.nullable(),
};

/** A link, for members who may share the report. Its secret cannot be read back. */
export const reportLinkJson = z.object({
  ...reportLinkFields,
  made_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  created_at: time,
});

/** Serializes a link to a report. */
export function toReportLinkJson(link: ReportLinkSummary, reportId: string): z.input<typeof reportLinkJson> {
  return {
    id: link.linkId,
    kind: 'report',
    name: link.name,
    report: reportId,
    anonymous: link.anonymous,
    expires_at: link.expiresAt?.toISOString() ?? null,
    made_by: link.madeBy,
    created_at: link.createdAt.toISOString(),
  };
}
