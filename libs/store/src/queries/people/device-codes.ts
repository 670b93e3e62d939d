import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/** A program's request to be signed in. */
export interface DeviceRequest {
  readonly clientName: string;
  readonly scopes: readonly string[];
}

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
 * Stores a program's request to be signed in. False: there are already `atMost` requests. Expired
 * requests are removed after ten more minutes: until then the program gets `expired`. `device_code`
 * is global, and expires by the clock of the database, which all processes share.
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

/**
 * The request for the code that a person typed; null if it is unknown, expired, or already decided.
 */
export async function readDeviceCode(db: GlobalHandle, userHash: Buffer): Promise<DeviceRequest | null> {
  const { rows } = await sql<{ client_name: string; scopes: string[] }>`
    /* read-device-code */
    select client_name, scopes from device_code where user_hash = ${userHash} and state = 'pending' and expires_at > now()`.execute(db);
  return rows[0] ? { clientName: rows[0].client_name, scopes: rows[0].scopes } : null;
}

/** Stores the person's decision. False: it was already decided, or is too old. */
export async function decideDeviceCode(
  db: GlobalHandle,
  userHash: Buffer,
  decision: { readonly approved: boolean; readonly tenantId: TenantId; readonly personId: string; readonly creator: Creator },
): Promise<boolean> {
  const { rows } = await sql`
    /* decide-device-code */
    update device_code set state = ${decision.approved ? 'approved' : 'denied'}, tenant_id = ${decision.tenantId}, person_id = ${decision.personId},
      credential_until = ${decision.creator.until}, token_id = ${decision.creator.tokenId}
    where user_hash = ${userHash} and state = 'pending' and expires_at > now() returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * Responds to the program. An approved or denied request is reported once and then removed. A poll
 * before the interval has passed lengthens the interval by 5 seconds (RFC 8628, 3.5).
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
  // Of two polls at once, the second finds another time.
  const { rows: counted } = await sql`
    /* poll-device-code-update-device-code */
    update device_code set polled_at = now(), interval_seconds = interval_seconds + ${before.early ? 5 : 0}::int
    where device_hash = ${deviceHash} and polled_at is not distinct from ${before.polled}::timestamptz returning 1`.execute(db);
  return { outcome: before.early || counted.length === 0 ? 'too-early' : 'pending' };
}
