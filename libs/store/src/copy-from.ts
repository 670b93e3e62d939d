import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { from as copyFromStream } from 'pg-copy-streams';
import { withoutPipeline } from './driver/pg-internals.ts';

/**
 * Sends `rows` (a finished binary COPY document) into `columns` of `table`, inside the connection's
 * transaction. Names must come from our own code, not from a user.
 *
 * Postgres rejects COPY into a table while row level security applies to the role, even if its
 * policies permit it. So a role without BYPASSRLS copies into a temporary table of its connection,
 * and inserts from there.
 */
export async function copyFrom(client: pg.PoolClient, table: string, columns: readonly string[], rows: Buffer): Promise<void> {
  if (!(await isUnderRowSecurity(client, table))) return copyInto(client, table, columns, rows);
  const staging = `staged_${table}`;
  // The columns' storage settings are copied too, because the default would compress large bodies
  // on the way. The table has rows only if this transaction has already called the function.
  await client.query(
    `/* stage-rows */ create temp table if not exists ${staging} (like public.${table} including storage including defaults) on commit delete rows`,
  );
  await client.query(`/* clear-staged-rows */ delete from ${staging}`);
  await copyInto(client, staging, columns, rows);
  await client.query(`/* insert-staged-rows */ insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from ${staging}`);
}

async function copyInto(client: pg.PoolClient, table: string, columns: readonly string[], rows: Buffer): Promise<void> {
  await withoutPipeline(client, () => {
    const target = client.query(copyFromStream(`/* copy-rows */ copy ${table} (${columns.join(', ')}) from stdin with (format binary)`));
    return pipeline(Readable.from(slices(rows), { objectMode: false }), target);
  });
}

/** The result for each connection. It depends only on the role and is the same for all tables. */
const underRowSecurity = new WeakMap<pg.PoolClient, boolean>();

async function isUnderRowSecurity(client: pg.PoolClient, table: string): Promise<boolean> {
  const known = underRowSecurity.get(client);
  if (known !== undefined) return known;
  const { rows } = await client.query<{ active: boolean }>('/* is-under-row-security */ select row_security_active($1::text) as active', [
    `public.${table}`,
  ]);
  const { active } = rows[0]!;
  underRowSecurity.set(client, active);
  return active;
}

const maxSliceBytes = 256 * 1024;

function* slices(rows: Buffer): Generator<Buffer> {
  for (let at = 0; at < rows.length; at += maxSliceBytes) yield rows.subarray(at, at + maxSliceBytes);
}
