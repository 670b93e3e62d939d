import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { from as copyFromStream } from 'pg-copy-streams';

/**
 * Sends `rows` (a finished binary COPY document) into `columns` of `table`, inside the connection's
 * transaction. Names must come from our code, never from a user.
 */
export async function copyFrom(client: pg.PoolClient, table: string, columns: readonly string[], rows: Buffer): Promise<void> {
  const target = client.query(copyFromStream(`copy ${table} (${columns.join(', ')}) from stdin with (format binary)`));
  await pipeline(Readable.from(slices(rows), { objectMode: false }), target);
}

const maxSliceBytes = 256 * 1024;

function* slices(rows: Buffer): Generator<Buffer> {
  for (let at = 0; at < rows.length; at += maxSliceBytes) yield rows.subarray(at, at + maxSliceBytes);
}
