import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl, urlOf } from './values.ts';

const postgresUrl = urlOf('postgres:', 'postgresql:').optional();

/** An address with which one kind of process reaches Postgres; its login role is the one that `migrations/roles.sql` makes for that work. */
const roleUrl = (name: string, role: string, who: string) =>
  key({
    name,
    schema: postgresUrl,
    type: 'URL, secret',
    about: `Postgres for processes of their own, as role \`${role}\`: ${who}.`,
  });

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
    schema: postgresUrl,
    type: 'URL, secret',
    about:
      'A Postgres 18, as an administrator: for the embedded service one to use instead of its own, for `npm run migrate` where to make database and roles.',
  }),
  appDatabaseUrl: roleUrl('PLOTLINE_APP_DATABASE_URL', 'plotline_app', 'upload, read and ingest need it'),
  ingestDatabaseUrl: roleUrl('PLOTLINE_INGEST_DATABASE_URL', 'plotline_ingest', 'ingest needs it'),
  sweeperDatabaseUrl: roleUrl('PLOTLINE_SWEEPER_DATABASE_URL', 'plotline_sweeper', 'upload and ingest need it'),
  migratorDatabaseUrl: roleUrl('PLOTLINE_MIGRATOR_DATABASE_URL', 'plotline_migrator', '`npm run migrate` needs it'),
  redisUrl: key({
    name: 'PLOTLINE_REDIS_URL',
    schema: urlOf('redis:', 'rediss:').optional(),
    type: 'URL, secret',
    about:
      'The Redis of the job queue, for upload and ingest; with it, these and read count the requests of a workspace together. The embedded service needs none.',
  }),
  s3Endpoint: key({
    name: 'PLOTLINE_S3_ENDPOINT',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The S3 service for objects, by https unless the way there is trusted; without it they are kept in the data folder.',
  }),
  s3Bucket: key({
    name: 'PLOTLINE_S3_BUCKET',
    schema: z.string().default('plotline'),
    type: 'name',
    default: 'plotline',
    about: 'The bucket for objects; it must exist.',
  }),
  s3Region: key({
    name: 'PLOTLINE_S3_REGION',
    schema: z.string().default('us-east-1'),
    type: 'name',
    default: 'us-east-1',
    about: 'The region that requests to S3 are signed for.',
  }),
  s3AccessKeyId: key({
    name: 'PLOTLINE_S3_ACCESS_KEY_ID',
    schema: z.string().optional(),
    type: 'text, secret',
    about: 'Who asks the S3 service.',
  }),
  s3SecretAccessKey: key({
    name: 'PLOTLINE_S3_SECRET_ACCESS_KEY',
    schema: z.string().optional(),
    type: 'secret',
    about: 'The secret key that requests to S3 are signed with.',
  }),
  s3Checksums: key({
    name: 'PLOTLINE_S3_CHECKSUMS',
    schema: z.enum(['when-supported', 'when-required']).default('when-supported'),
    type: '`when-supported` or `when-required`',
    default: 'when-supported',
    about: 'Whether requests carry checksums of their own; `when-required` for stores that refuse them.',
  }),
  s3PublicEndpoint: key({
    name: 'PLOTLINE_S3_PUBLIC_ENDPOINT',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'How browsers reach the S3 service, for links to objects; without it, the endpoint.',
  }),
};
