import { z } from 'zod';
import type { Report, ReportSummary } from '#store';

const person = z.object({ id: z.string(), name: z.string() }).nullable();

/** A report in lists. */
export const reportSummaryJson = z.object({
  id: z.string(),
  title: z.string(),
  version: z.int().meta({ description: 'Counts the changes. Send this number with each change.' }),
  owner: person.meta({ description: 'Who created the report. Null if the person was erased.' }),
  created: z.iso.datetime(),
  updated: z.iso.datetime(),
  updated_by: person.meta({ description: 'Who made the last change. Null if the person was erased.' }),
});

/** A report in responses. */
export const reportJson = reportSummaryJson.extend({
  body: z.string().meta({ description: 'Markdown. Code blocks named plotline contain addresses of views; see docs/page.md.' }),
  experiments: z.array(z.string()).meta({
    description:
      "The workspace's experiments that the report's blocks showed and compared when the text was last changed. Some of these experiments may be deleted.",
  }),
});

/** Serializes a report for a list. */
export function toReportSummaryJson(report: ReportSummary): z.input<typeof reportSummaryJson> {
  return {
    id: report.reportId,
    title: report.title,
    version: report.version,
    owner: report.owner,
    created: report.createdAt.toISOString(),
    updated: report.updatedAt.toISOString(),
    updated_by: report.updatedBy,
  };
}

/** Serializes a report. */
export function toReportJson(report: Report): z.input<typeof reportJson> {
  return { ...toReportSummaryJson(report), body: report.body, experiments: [...report.experiments] };
}
