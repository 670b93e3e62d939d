import { z } from 'zod';
import type { AuditEntry } from '#store';

export const auditEntryJson = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  person: z
    .object({ id: z.uuid(), name: z.string().nullable().meta({ description: 'Null if the person was erased.' }) })
    .nullable()
    .meta({ description: 'Who performed the action. Null if the service performed it.' }),
  via: z.string().meta({ description: 'The credential that was used: token, session, …' }),
  action: z.string(),
  result: z.enum(['done', 'refused']),
  experiment: z.string().nullable(),
  object: z
    .string()
    .nullable()
    .meta({ description: 'Id of the object if it is not an experiment, such as a person, token, invitation or deletion.' }),
  details: z.record(z.string(), z.unknown()).meta({ description: 'Only numbers and fixed words, never names.' }),
  address: z
    .string()
    .nullable()
    .meta({ description: 'The address of the request, with the precision that the service is configured to record.' }),
  request_id: z.string().nullable(),
});

/** Serializes an entry of the audit log. */
export function toAuditJson(entry: AuditEntry): z.input<typeof auditEntryJson> {
  return {
    id: entry.entryId,
    at: entry.at.toISOString(),
    person: entry.actorId === null ? null : { id: entry.actorId, name: entry.actorName },
    via: entry.via,
    action: entry.action,
    result: entry.result,
    experiment: entry.experimentId,
    object: entry.objectId,
    details: entry.details,
    address: entry.address,
    request_id: entry.requestId,
  };
}
