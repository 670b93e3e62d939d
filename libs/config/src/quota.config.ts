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

/** What one workspace may use, where nobody has set something else for it with `npm run admin -- quota`. */
export const quotaConcern = {
  points: quota('POINTS', 10_000_000_000, 'Points that a workspace may have, superseded ones included.'),
  bytes: quota(
    'BYTES',
    10 * TiB,
    'What a workspace may have of event files, and of tensors and blobs taken out of them, before compression.',
    'bytes',
  ),
  experiments: quota('EXPERIMENTS', 1_000_000, 'Experiments that a workspace may have.'),
  series: quota('SERIES', 100_000_000, 'Series (tags of runs) that a workspace may have.'),
  files: quota('FILES', 10_000_000, 'Event files that a workspace may have, every version of each.'),
  requestsPerMinute: key({
    name: 'PLOTLINE_QUOTA_REQUESTS_PER_MINUTE',
    schema: wholeNumber(1, largestQuota).default(300_000),
    type: 'whole number',
    default: '300000',
    about:
      'Requests that a workspace may send in a minute, all its people and programs together; with a Redis, to all processes together. A minute of them may come at once.',
  }),
};
