import { z } from 'zod';
import { roles, scopes } from '#auth';
import type { WorkloadIdentity } from '#store';
import type { ServiceAccountView } from '#workspaces';

const time = z.iso.datetime();

export const serviceAccountBody = z.strictObject({
  name: z.string().min(1).max(100),
  role: z.enum(roles).exclude(['owner']).default('member'),
});

export const workloadBody = z.strictObject({
  issuer: z.string().min(1).max(500).meta({ description: 'The claim `iss`; must be an issuer that the operator configured.' }),
  audience: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'A value that the claim `aud` must contain. Default: the address of this service.' }),
  subject: z.string().min(1).max(500).meta({
    description:
      'The claim `sub`, or a prefix of it followed by "*". The prefix must end with the second ":" or "/", or with a later ":" or "/".',
  }),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).default(['read', 'upload']),
});

export const workloadJson = z.object({
  id: z.string(),
  issuer: z.string(),
  audience: z.string(),
  subject: z.string(),
  scopes: z.array(z.string()),
  created_at: time,
  last_used_at: time.nullable().meta({ description: 'To the hour.' }),
});

export const serviceAccountJson = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  created_at: time,
  workloads: z.array(workloadJson),
});

/** A service account, as callers who may manage it see it. */
export function toServiceAccountJson(account: ServiceAccountView): z.input<typeof serviceAccountJson> {
  return {
    id: account.accountId,
    name: account.name,
    role: account.role,
    created_at: account.createdAt.toISOString(),
    workloads: account.workloads.map(toWorkloadJson),
  };
}

function toWorkloadJson(workload: WorkloadIdentity): z.input<typeof workloadJson> {
  return {
    id: workload.workloadId,
    issuer: workload.issuer,
    audience: workload.audience,
    subject: workload.subject,
    scopes: [...workload.scopes],
    created_at: workload.createdAt.toISOString(),
    last_used_at: workload.lastUsedAt?.toISOString() ?? null,
  };
}
