import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { DeviceRequest } from './decide-device-code.ts';

/**
 * Stores a program's request to be signed in. Returns false if there are already `atMost` requests.
 * Expired requests are removed after ten more minutes. Until then, the program gets `expired`.
 * `device_code` is global, and expires by the database's clock, which all processes share.
 */
export async function insertDeviceCode(
  db: GlobalHandle,
  code: DeviceRequest & {
    readonly deviceHash: Buffer;
    readonly userHash: Buffer;
    readonly lifetimeSeconds: number;
    readonly intervalSeconds: number;
    readonly atMost: number;
  },
): Promise<boolean> {
  await sql`/* insert-device-code */ delete from device_code where expires_at < now() - interval '10 minutes'`.execute(db);
  const { rows: counted } = await sql<{ full: boolean }>`/* insert-device-code-device-code */
    select count(*) >= ${code.atMost}::int as full from device_code`.execute(db);
  if (counted[0]!.full) return false;
  const { rows } = await sql`
    /* insert-device-code-insert-device-code */
    insert into device_code (device_hash, user_hash, client_name, scopes, interval_seconds, expires_at)
    values (${code.deviceHash}, ${code.userHash}, ${code.clientName}, ${[...code.scopes]}::text[], ${code.intervalSeconds},
      now() + make_interval(secs => ${code.lifetimeSeconds}::int))
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}
