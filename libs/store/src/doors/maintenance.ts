/** Rows that expire, and the leases of background work. */
export { claimIdempotencyKey } from '../queries/maintenance/claim-idempotency-key.ts';
export { saveIdempotentResponse } from '../queries/maintenance/save-idempotent-response.ts';
export { claimMaintenance } from '../queries/maintenance/claim-maintenance.ts';
export { readTenantsWithExpiredRows } from '../queries/maintenance/read-tenants-with-expired-rows.ts';
export { removeExpiredSignIns } from '../queries/maintenance/remove-expired-sign-ins.ts';
export { removeIdempotencyKeys } from '../queries/maintenance/remove-idempotency-keys.ts';
export { removeUploaderRequests } from '../queries/maintenance/remove-uploader-requests.ts';
