import type { Need } from '#config';

const app = 'PLOTLINE_APP_DATABASE_URL';
const sweeper = 'PLOTLINE_SWEEPER_DATABASE_URL';
const queue = 'PLOTLINE_REDIS_URL';
const unless = { name: 'PLOTLINE_S3_CREDENTIALS', is: 'environment' };
const objects: readonly Need[] = [
  { name: 'PLOTLINE_S3_ACCESS_KEY_ID', where: 'PLOTLINE_S3_ENDPOINT', unless },
  { name: 'PLOTLINE_S3_SECRET_ACCESS_KEY', where: 'PLOTLINE_S3_ENDPOINT', unless },
];

/** The settings that each separate process requires. */
export const needs = {
  upload: [app, sweeper, queue, ...objects],
  ingest: [app, 'PLOTLINE_INGEST_DATABASE_URL', sweeper, queue, ...objects],
  read: [app, 'PLOTLINE_SECRET_KEY', ...objects],
  migrate: ['PLOTLINE_MIGRATOR_DATABASE_URL', app],
} as const satisfies Record<string, readonly Need[]>;
