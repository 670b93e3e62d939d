import { usageJson } from '../../usage/usage-json.ts';
import { json, type RouteDoc } from './route-doc.ts';

const quota = (used: number, limit: number) => ({ used, limit, state: used >= limit * 0.8 ? 'warning' : 'ok' });

export const usageDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/usage',
    tag: 'service',
    summary: 'Get the usage and quotas of the workspace',
    about:
      'Counted from the current rows. Deleting data reduces the usage. Requests over a quota are rejected with `quota-exceeded`, which includes `quota`, `limit` and `used`.',
    responses: [
      json(usageJson, 'The usage.', {
        quotas: {
          points: quota(8_400_000, 10_000_000),
          bytes: quota(1_200_000_000, 10_000_000_000),
          experiments: quota(12, 1_000),
          series: quota(840, 100_000),
          files: quota(96, 100_000),
          pending_bytes: quota(0, 8_589_934_592),
          requests_per_minute: quota(3, 6_000),
        },
        bytes: { originals: 1_100_000_000, values: 100_000_000, exports: 0, being_deleted: 0 },
        suspension: null,
      }),
    ],
    problems: ['forbidden'],
  },
  {
    method: 'GET',
    path: '/usage',
    tag: 'pages',
    summary: 'The usage page',
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: [],
  },
];
