import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/** A program's sign-in request. */
export interface DeviceRequest {
  readonly clientName: string;
  readonly scopes: readonly string[];
}

/**
 * The request for the code that a person typed. Null if the code is unknown, expired, or already
 * decided.
 */
export async function readDeviceCode(db: GlobalHandle, userHash: Buffer): Promise<DeviceRequest | null> {
  const { rows } = await sql<{ client_name: string; scopes: string[] }>`
    /* read-device-code */
    select client_name, scopes from device_code where user_hash = ${userHash} and state = 'pending' and expires_at > now()`.execute(db);
  return rows[0] ? { clientName: rows[0].client_name, scopes: rows[0].scopes } : null;
}

/** Stores the person's decision. Returns false if the request was already decided or is too old. */
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
