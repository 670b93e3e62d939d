/** Rows that expire, and the leases of background work. */
export { claimIdempotencyKey, saveIdempotentResponse } from '../queries/maintenance/idempotency-keys.ts';
export { claimMaintenance } from '../queries/maintenance/claim-maintenance.ts';
export { readTenantsWithExpiredRows } from '../queries/maintenance/read-tenants-with-expired-rows.ts';
export { removeExpiredSignIns, removeIdempotencyKeys, removeUploaderRequests } from '../queries/maintenance/remove-expired.ts';
