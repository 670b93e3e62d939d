import { z } from 'zod';
import { key } from './key.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { hostList, httpUrl, urlOf } from './values.ts';

const postgresUrl = z
  .string()
  .refine(
    (text) => parsePostgresAddress(text) !== null,
    'must be a URL of the form postgres://user:password@host/database, with several hosts separated by commas if need be, and target_session_attrs=read-write or any',
  )
  .optional();

/**
 * The address that one kind of process uses to connect to Postgres. The login role is created for
 * that purpose by `migrations/roles.sql`.
 */
const roleUrl = (name: string, role: string, who: string) =>
  key({
    name,
    schema: postgresUrl,
    type: 'URL, secret',
    about: `Postgres for separate processes, as role \`${role}\`: ${who}.`,
  });

/** Where data is stored. */
export const storageConcern = {
  dataDir: key({
    name: 'PLOTLINE_DATA_DIR',
    schema: z.string().default('.plotline'),
    type: 'folder',
    default: '.plotline',
    about: 'The data folder of the embedded service: its Postgres, blobs and `credentials.json`. Relative to the working folder.',
  }),
  databaseUrl: key({
    name: 'PLOTLINE_DATABASE_URL',
    schema: postgresUrl,
    type: 'URL, secret',
    about:
      'A Postgres 18, as an administrator. The embedded service uses it instead of its own; `npm run migrate` creates the database and the roles in it.',
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
      'The Redis for the job queue, for upload and ingest. If it is set, these processes and read processes count requests together. The embedded service needs none.',
  }),
  redisSentinels: key({
    name: 'PLOTLINE_REDIS_SENTINELS',
    schema: hostList.default([]),
    type: 'list',
    about:
      'Redis Sentinels, as pairs of host and port, separated by commas (`s1:26379,s2:26379`). The host of PLOTLINE_REDIS_URL is then the primary’s name (`redis://user:password@mymaster`). With `rediss://`, connections to sentinels are encrypted too.',
  }),
  redisSentinelPassword: key({
    name: 'PLOTLINE_REDIS_SENTINEL_PASSWORD',
    schema: z.string().optional(),
    type: 'secret',
    about: 'The password of the sentinels themselves.',
  }),
  redisCaFile: key({
    name: 'PLOTLINE_REDIS_CA_FILE',
    schema: z.string().optional(),
    type: 'file',
    about: 'CA certificates (PEM) for Redis at a `rediss://` address. Default: those that Node trusts, and `NODE_EXTRA_CA_CERTS`.',
  }),
  s3Endpoint: key({
    name: 'PLOTLINE_S3_ENDPOINT',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The S3 service for objects; use https unless the network is trusted. Default: objects are stored in the data folder.',
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
    about: 'The region in S3 request signatures.',
  }),
  s3Credentials: key({
    name: 'PLOTLINE_S3_CREDENTIALS',
    schema: z.enum(['keys', 'environment']).default('keys'),
    type: '`keys` or `environment`',
    default: 'keys',
    about:
      '`keys`: PLOTLINE_S3_ACCESS_KEY_ID and PLOTLINE_S3_SECRET_ACCESS_KEY. `environment`: the default credential chain of the AWS SDK, for web identity (IRSA), Pod Identity and instance roles; it reads `AWS_…` variables and files.',
  }),
  s3AccessKeyId: key({
    name: 'PLOTLINE_S3_ACCESS_KEY_ID',
    schema: z.string().optional(),
    type: 'text, secret',
    about: 'The access key id for S3.',
  }),
  s3SecretAccessKey: key({
    name: 'PLOTLINE_S3_SECRET_ACCESS_KEY',
    schema: z.string().optional(),
    type: 'secret',
    about: 'The secret key for S3.',
  }),
  s3Checksums: key({
    name: 'PLOTLINE_S3_CHECKSUMS',
    schema: z.enum(['when-supported', 'when-required']).default('when-supported'),
    type: '`when-supported` or `when-required`',
    default: 'when-supported',
    about: 'Whether requests carry checksums; use `when-required` for stores that reject them.',
  }),
  s3PublicEndpoint: key({
    name: 'PLOTLINE_S3_PUBLIC_ENDPOINT',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The URL at which browsers reach the S3 service, for links to objects. Default: the endpoint.',
  }),
};
