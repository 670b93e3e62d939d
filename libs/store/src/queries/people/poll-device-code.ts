import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';
import type { DeviceRequest } from './decide-device-code.ts';

/** The response to a program that asks whether it is signed in. */
export type DevicePoll =
  | { readonly outcome: 'unknown' | 'expired' | 'too-early' | 'pending' | 'denied' }
  | ({
      readonly outcome: 'approved';
      readonly tenantId: TenantId;
      readonly personId: string;
      readonly creator: Creator;
    } & DeviceRequest);

/**
 * Responds to the program. An approved or denied request is reported once and then removed. A poll
 * that comes before the interval has passed lengthens the interval by 5 seconds (RFC 8628, 3.5).
 */
export async function pollDeviceCode(db: GlobalHandle, deviceHash: Buffer): Promise<DevicePoll> {
  const { rows: done } = await sql<{
    state: 'approved' | 'denied';
    client_name: string;
    scopes: string[];
    tenant_id: TenantId;
    person_id: string;
    credential_until: Date | null;
    token_id: string | null;
  }>`
    /* poll-device-code */
    delete from device_code where device_hash = ${deviceHash} and state <> 'pending' and expires_at > now()
    returning state, client_name, scopes, tenant_id, person_id, credential_until, token_id`.execute(db);
  const row = done[0];
  if (row?.state === 'approved')
    return {
      outcome: 'approved',
      tenantId: row.tenant_id,
      personId: row.person_id,
      creator: { tokenId: row.token_id, until: row.credential_until },
      clientName: row.client_name,
      scopes: row.scopes,
    };
  if (row) return { outcome: 'denied' };
  const { rows } = await sql<{ polled: string | null; good: boolean; early: boolean }>`
    /* poll-device-code-device-code */
    select polled_at::text as polled, expires_at > now() as good,
      coalesce(polled_at > now() - make_interval(secs => interval_seconds), false) as early
    from device_code where device_hash = ${deviceHash}`.execute(db);
  const before = rows[0];
  if (!before) return { outcome: 'unknown' };
  if (!before.good) return { outcome: 'expired' };
  // Of two polls that arrive at the same time, the second finds that `polled_at` has changed.
  const { rows: counted } = await sql`
    /* poll-device-code-update-device-code */
    update device_code set polled_at = now(), interval_seconds = interval_seconds + ${before.early ? 5 : 0}::int
    where device_hash = ${deviceHash} and polled_at is not distinct from ${before.polled}::timestamptz returning 1`.execute(db);
  return { outcome: before.early || counted.length === 0 ? 'too-early' : 'pending' };
}
