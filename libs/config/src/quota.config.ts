import { largestQuota } from '#model';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

const TiB = 1024 ** 4;

const quota = (name: string, fallback: number, about: string, unit?: string) =>
  key({
    name: `PLOTLINE_QUOTA_${name}`,
    schema: wholeNumber(0, largestQuota).default(fallback),
    type: 'whole number',
    default: String(fallback),
    ...(unit !== undefined && { unit }),
    about,
  });

/** The default quotas of a workspace, unless set for it with `npm run admin -- quota`. */
export const quotaConcern = {
  points: quota('POINTS', 10_000_000_000, 'Maximum points per workspace, including superseded ones.'),
  bytes: quota(
    'BYTES',
    10 * TiB,
    'Maximum bytes per workspace: event files plus the tensors and blobs extracted from them, before compression.',
    'bytes',
  ),
  experiments: quota('EXPERIMENTS', 1_000_000, 'Maximum experiments per workspace.'),
  series: quota('SERIES', 100_000_000, 'Maximum series (tags of runs) per workspace.'),
  files: quota('FILES', 10_000_000, 'Maximum event files per workspace, counting every version.'),
  requestsPerMinute: key({
    name: 'PLOTLINE_QUOTA_REQUESTS_PER_MINUTE',
    schema: wholeNumber(1, largestQuota).default(300_000),
    type: 'whole number',
    default: '300000',
    about:
      'Maximum requests per minute for each workspace, counting all its people and programs; with Redis, across all processes. A minute’s requests may all arrive at once.',
  }),
};
