import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl, urlOf } from './values.ts';

/** Where the data are. */
export const storageConcern = {
  dataDir: key({
    name: 'PLOTLINE_DATA_DIR',
    schema: z.string().default('.plotline'),
    type: 'folder',
    default: '.plotline',
    about: 'The data folder of the embedded service: its Postgres, blobs and `credentials.json`; relative to where the command was typed.',
  }),
  databaseUrl: key({
    name: 'PLOTLINE_DATABASE_URL',
    schema: urlOf('postgres:', 'postgresql:').optional(),
    type: 'URL, secret',
    about: 'A Postgres 18 to use instead of the embedded one.',
  }),
  redisUrl: key({
    name: 'PLOTLINE_REDIS_URL',
    schema: urlOf('redis:', 'rediss:').optional(),
    type: 'URL, secret',
    about: 'The Redis of the job queue; the embedded service needs none.',
  }),
  s3Endpoint: key({
    name: 'PLOTLINE_S3_ENDPOINT',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The S3 service for blobs; the embedded service keeps them in its data folder.',
  }),
};
