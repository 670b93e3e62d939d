import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** How uploads become points. */
export const ingestConcern = {
  concurrency: key({
    name: 'PLOTLINE_INGEST_CONCURRENCY',
    schema: wholeNumber(1, 64).default(2),
    type: 'whole number',
    default: '2',
    about: 'Runs to ingest concurrently, each in its own thread with its own database connection.',
  }),
  batchBytes: key({
    name: 'PLOTLINE_INGEST_BATCH_BYTES',
    schema: wholeNumber(1, 1024 ** 3).default(16 * 1024 ** 2),
    type: 'whole number',
    default: '16777216',
    unit: 'bytes',
    about: 'Maximum event file bytes that one transaction parses; larger amounts use several transactions.',
  }),
  groupMs: key({
    name: 'PLOTLINE_INGEST_GROUP_MS',
    schema: wholeNumber(0, 60_000).default(1_500),
    type: 'whole number',
    default: '1500',
    unit: 'milliseconds',
    about: 'Minimum time between two small commits of one run; data that arrives in between is grouped.',
  }),
  tailPoints: key({
    name: 'PLOTLINE_TAIL_POINTS',
    schema: wholeNumber(0, 1_000_000).default(65_536),
    type: 'whole number',
    default: '65536',
    unit: 'points',
    about: 'Maximum points in a live run’s tail; readers decode them in addition to the chunks.',
  }),
  tailMinutes: key({
    name: 'PLOTLINE_TAIL_MINUTES',
    schema: wholeNumber(1, 10_080).default(60),
    type: 'whole number',
    default: '60',
    unit: 'minutes',
    about: 'The age at which even a small tail is cut into chunks.',
  }),
  lostBytesSeconds: key({
    name: 'PLOTLINE_LOST_BYTES_SECONDS',
    schema: wholeNumber(1, 366 * 86_400).default(480),
    type: 'whole number',
    default: '480',
    unit: 'seconds',
    about:
      'How long attempts must find the same stored bytes damaged or missing before the file ends there. Set it longer than a bucket can lag after a failover.',
  }),
  exportKeepSeconds: key({
    name: 'PLOTLINE_EXPORT_KEEP_SECONDS',
    schema: wholeNumber(1, 366 * 86_400).default(86_400),
    type: 'whole number',
    default: '86400',
    unit: 'seconds',
    about: 'How long the service keeps the result of an export after it has finished. It counts toward the byte quota.',
  }),
  orphanGraceSeconds: key({
    name: 'PLOTLINE_ORPHAN_GRACE_SECONDS',
    schema: wholeNumber(1, 366 * 86_400).default(172_800),
    type: 'whole number',
    default: '172800',
    unit: 'seconds',
    about:
      'Age at which orphaned objects are removed. Set it longer than any single range upload takes, and longer than clocks can differ.',
  }),
  stallSeconds: key({
    name: 'PLOTLINE_STALL_SECONDS',
    schema: wholeNumber(1, 86_400).default(30),
    type: 'whole number',
    default: '30',
    unit: 'seconds',
    about: 'How long data may be pending without any ingest before ingest’s `/readyz` returns 503.',
  }),
};
