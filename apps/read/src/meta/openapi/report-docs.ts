import { z } from 'zod';
import { reportLinkFields, reportLinkJson } from '../../reports/report-link-json.ts';
import { reportLinkBody } from '../../reports/report-links.controller.ts';
import { reportJson, reportSummaryJson } from '../../reports/report-json.ts';
import { changedReportBody, newReportBody, reportsQuery } from '../../reports/reports.controller.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const summary = {
  id: '5b1f4f0e-5c1f-4d8f-9d6b-0a8a8f6a3c11',
  title: 'Learning rates',
  version: 3,
  owner: examples.experiment.owner,
  created: '2026-11-27T00:00:00.000Z',
  updated: '2026-11-28T00:00:00.000Z',
  updated_by: examples.experiment.owner,
};
const example = { ...summary, body: `Warmup helps.\n\n\`\`\`plotline\n/e/${examples.id}?card=loss\n\`\`\`\n`, experiments: [examples.id] };
const link = {
  id: '2c8e5f5a-6f1b-4c55-8a53-0f3f6f8d7b21',
  kind: 'report' as const,
  name: 'for the reviewers',
  report: summary.id,
  anonymous: true,
  expires_at: '2027-02-27T00:00:00.000Z',
};
const page = (path: string, name: string): RouteDoc => ({
  method: 'GET',
  path,
  tag: 'pages',
  summary: name,
  responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
  problems: path === '/reports' ? ['forbidden'] : ['forbidden', 'report-not-found'],
});

export const reportDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/reports',
    tag: 'reports',
    summary: 'List reports',
    about: 'The reports of the workspace without their text, most recently changed first.',
    query: reportsQuery,
    responses: [
      json(z.object({ reports: z.array(reportSummaryJson), next_page_token: z.string().optional() }), 'A page of reports.', {
        reports: [summary],
      }),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-page-token'],
  },
  {
    method: 'POST',
    path: '/api/v1/reports',
    tag: 'reports',
    summary: 'Create a report',
    about: 'A workspace has at most 1,000 reports.',
    idempotent: true,
    body: { schema: newReportBody, example: { title: summary.title, body: example.body } },
    responses: [json(reportJson, 'The report.', { ...example, version: 1 }, 201)],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-name', 'name-too-long', 'quota-exceeded', 'idempotency-key-reused'],
  },
  {
    method: 'GET',
    path: '/api/v1/reports/:reportId',
    tag: 'reports',
    summary: 'Read a report',
    about: 'For the workspace, and for anyone with a link to the report. An anonymous link returns no names of people.',
    responses: [json(reportJson, 'The report.', example)],
    problems: ['forbidden', 'report-not-found'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/reports/:reportId',
    tag: 'reports',
    summary: 'Change a report',
    about:
      'Rejected with `report-changed` (409) if the report was changed after the specified version. Links to the report show the new text. While such a link is active, you can add only experiments that you may share.',
    body: { schema: changedReportBody, example: { body: example.body, version: 2 } },
    responses: [json(reportJson, 'The changed report.', example)],
    problems: [
      'forbidden',
      'bad-request',
      'unknown-field',
      'invalid-name',
      'name-too-long',
      'report-not-found',
      'report-changed',
      'quota-exceeded',
    ],
  },
  {
    method: 'DELETE',
    path: '/api/v1/reports/:reportId',
    tag: 'reports',
    summary: 'Delete a report',
    about: 'Members can delete their own reports; admins can delete any report.',
    responses: [{ status: 204, about: 'The report is deleted.' }],
    problems: ['forbidden', 'report-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/reports/:reportId/share-links',
    tag: 'access',
    summary: 'Create a link to a report',
    about:
      'Anyone with the link can view this report and the experiments that it shows, including those added later; nothing else of the workspace. You need permission to share each of these experiments; a report shows at most 100. Only this response contains the address. Open it in a browser, or send its last part in the header `Plotline-Share` from a program.',
    body: { schema: reportLinkBody, example: { name: 'for the reviewers', anonymous: true } },
    responses: [
      json(
        z.object({ ...reportLinkFields, url: z.url() }),
        'The link.',
        { ...link, url: 'https://plotline.example/s/4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE' },
        201,
      ),
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field', 'invalid-name', 'quota-exceeded', 'report-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/reports/:reportId/share-links',
    tag: 'access',
    summary: 'List active links to a report',
    responses: [
      json(z.object({ share_links: z.array(reportLinkJson) }), 'At most 1,000, newest first.', {
        share_links: [{ ...link, made_by: examples.experiment.owner, created_at: '2026-11-29T00:00:00.000Z' }],
      }),
    ],
    problems: ['forbidden', 'report-not-found'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/reports/:reportId/share-links/:linkId',
    tag: 'access',
    summary: 'Revoke a link to a report',
    about: 'It stops working within five seconds.',
    responses: [{ status: 204, about: 'The link is revoked.' }],
    problems: ['forbidden', 'share-link-not-found'],
  },
  page('/reports', 'Show the reports page'),
  page('/reports/:reportId', 'Show a report page'),
  page('/reports/:reportId/edit', 'Show the report editor'),
];
