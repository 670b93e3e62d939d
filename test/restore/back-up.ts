import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import type { TestBucket } from '#testing';

/**
 * Files that a base backup does not contain: Postgres creates them at its start, or they belong to
 * the running server.
 */
const leftOut = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pgsql_tmp']);

/**
 * Makes a base backup of a running Postgres in the folder `to`, as `pg_basebackup` does. Calls the
 * server functions that `pg_basebackup` uses ("Making a Base Backup Using the Low Level API" in the
 * manual), because that program is not among the embedded binaries. `cluster` is the folder of the
 * running server.
 */
export async function backUpPostgres(superuserUrl: string, cluster: string, to: string): Promise<void> {
  const session = new pg.Client({ connectionString: superuserUrl });
  await session.connect(); // a backup ends with its session
  try {
    await session.query(`select pg_backup_start('restore drill', true)`);
    await copyFolder(cluster, to, leftOut);
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeFile(join(to, 'backup_label'), rows[0]!.labelfile, { mode: 0o600 });
    for (const folder of ['pg_replslot', 'pg_stat_tmp']) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    await copyFolder(join(cluster, 'pg_wal'), join(to, 'pg_wal'), new Set()); // has all that was written between start and stop
  } finally {
    await session.end();
  }
}

/** Copies a folder while files in it are created and removed. */
async function copyFolder(from: string, to: string, except: ReadonlySet<string>): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (except.has(entry.name)) continue;
    const source = join(from, entry.name);
    if (entry.isDirectory()) await copyFolder(source, join(to, entry.name), except);
    else await copyFile(source, join(to, entry.name)).catch(unlessGone);
  }
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const copiesAtOnce = 16;

/** Copies a bucket's objects, with their metadata, to another server. Returns their number. */
export async function copyObjects(from: TestBucket['options'], to: TestBucket['options']): Promise<number> {
  const [source, target] = [clientOf(from), clientOf(to)];
  let copied = 0;
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client: source }, { Bucket: from.bucket })) {
      const rest = Contents.values();
      const copySome = async (): Promise<void> => {
        for (const { Key } of rest) {
          const found = await source.send(new GetObjectCommand({ Bucket: from.bucket, Key })).catch(unlessRemoved);
          if (!found) continue;
          const Body = await found.Body!.transformToByteArray();
          await target.send(new PutObjectCommand({ Bucket: to.bucket, Key, Body, Metadata: found.Metadata }));
          copied++;
        }
      };
      await Promise.all(Array.from({ length: copiesAtOnce }, copySome));
    }
    return copied;
  } finally {
    source.destroy();
    target.destroy();
  }
}

/**
 * Removed between the listing and the read. The backup can do without the object only if it has
 * been joined since.
 */
function unlessRemoved(error: Error): null {
  if (error.name !== 'NoSuchKey') throw error;
  return null;
}

function clientOf({ endpoint, region, accessKeyId, secretAccessKey }: TestBucket['options']): S3Client {
  return new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true });
}
