import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** How uploads become points. */
export const ingestConcern = {
  concurrency: key({
    name: 'PLOTLINE_INGEST_CONCURRENCY',
    schema: wholeNumber(1, 64).default(2),
    type: 'whole number',
    default: '2',
    about: 'Runs that are ingested at the same time, each in a thread with a database connection of its own.',
  }),
  batchBytes: key({
    name: 'PLOTLINE_INGEST_BATCH_BYTES',
    schema: wholeNumber(1, 1024 ** 3).default(16 * 1024 ** 2),
    type: 'whole number',
    default: '16777216',
    unit: 'bytes',
    about: 'Event file bytes that one transaction of a run parses, at most; more of it is committed in several.',
  }),
  groupMs: key({
    name: 'PLOTLINE_INGEST_GROUP_MS',
    schema: wholeNumber(0, 60_000).default(1_500),
    type: 'whole number',
    default: '1500',
    unit: 'milliseconds',
    about: 'The least time between two commits of one run that has little to commit: what arrives meanwhile goes together.',
  }),
  tailPoints: key({
    name: 'PLOTLINE_TAIL_POINTS',
    schema: wholeNumber(0, 1_000_000).default(65_536),
    type: 'whole number',
    default: '65536',
    unit: 'points',
    about: 'Points of a live run that may wait in its tail, at most; readers decode them beside the chunks.',
  }),
  tailMinutes: key({
    name: 'PLOTLINE_TAIL_MINUTES',
    schema: wholeNumber(1, 10_080).default(60),
    type: 'whole number',
    default: '60',
    unit: 'minutes',
    about: 'The age at which a tail is cut into chunks though it is small.',
  }),
  lostBytesSeconds: key({
    name: 'PLOTLINE_LOST_BYTES_SECONDS',
    schema: wholeNumber(1, 366 * 86_400).default(480),
    type: 'whole number',
    default: '480',
    unit: 'seconds',
    about:
      'For how long tries have to find the same stored bytes of a file damaged or gone before the file ends there. Longer than a bucket may lag behind after a failover.',
  }),
  orphanGraceSeconds: key({
    name: 'PLOTLINE_ORPHAN_GRACE_SECONDS',
    schema: wholeNumber(1, 366 * 86_400).default(172_800),
    type: 'whole number',
    default: '172800',
    unit: 'seconds',
    about:
      'Objects that nothing refers to are removed when they are older. Longer than any single upload of a range takes, and than clocks may differ.',
  }),
  stallSeconds: key({
    name: 'PLOTLINE_STALL_SECONDS',
    schema: wholeNumber(1, 86_400).default(30),
    type: 'whole number',
    default: '30',
    unit: 'seconds',
    about: 'How long something may be pending while nothing at all is ingested, before `/readyz` of ingest says 503.',
  }),
};
