import { key } from './key.ts';
import { wholeNumber } from './values.ts';

const GiB = 1024 ** 3;

/** Limits on concurrent uploads. */
export const uploadConcern = {
  maxPendingBytes: key({
    name: 'PLOTLINE_MAX_PENDING_BYTES',
    schema: wholeNumber(1, 2 ** 49).default(32 * GiB),
    type: 'whole number',
    default: '34359738368',
    unit: 'bytes',
    about: 'Maximum bytes acknowledged but not ingested, for all workspaces. Above it, uploads get 429 until ingest catches up.',
  }),
  maxPendingBytesPerTenant: key({
    name: 'PLOTLINE_MAX_PENDING_BYTES_PER_TENANT',
    schema: wholeNumber(1, 2 ** 49).default(8 * GiB),
    type: 'whole number',
    default: '8589934592',
    unit: 'bytes',
    about: 'The same for one workspace, so that one upload cannot block others.',
  }),
  maxAppends: key({
    name: 'PLOTLINE_MAX_APPENDS',
    schema: wholeNumber(1, 100_000).default(2_048),
    type: 'whole number',
    default: '2048',
    about: 'Maximum byte ranges that one upload process receives concurrently.',
  }),
  maxAppendsPerTenant: key({
    name: 'PLOTLINE_MAX_APPENDS_PER_TENANT',
    schema: wholeNumber(1, 100_000).default(512),
    type: 'whole number',
    default: '512',
    about: 'The same for one workspace.',
  }),
  bodyMemoryBytes: key({
    name: 'PLOTLINE_UPLOAD_MEMORY_BYTES',
    schema: wholeNumber(1024 ** 2, 64 * GiB).default(128 * 1024 ** 2),
    type: 'whole number',
    default: '134217728',
    unit: 'bytes',
    about: 'Memory that one upload process uses for ranges it is receiving; when it is full, senders get backpressure.',
  }),
};
