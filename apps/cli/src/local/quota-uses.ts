import { asObject, intField, type Json, stringField } from '../http/json.ts';
import { formatBytes } from '../report.ts';

/** A quota as reported by the service. */
export interface QuotaUse {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly state: string;
}

/** The quotas of a `/usage` response, in the same order. */
export function quotaUses(usage: Json): QuotaUse[] {
  return Object.entries(asObject(usage['quotas'], 'quotas')).map(([name, value]) => {
    const quota = asObject(value, name);
    return { name, used: intField(quota, 'used'), limit: intField(quota, 'limit'), state: stringField(quota, 'state') };
  });
}

/** A quota's number, for display. */
export function amount({ name }: QuotaUse, value: number): string {
  return name.endsWith('bytes') ? formatBytes(value) : value.toLocaleString('en-US');
}

/** The warning before a quota is reached; null if there is none. */
export function quotaWarning(use: QuotaUse): string | null {
  if (use.state === 'ok') return null;
  const of = `${amount(use, use.used)} of ${amount(use, use.limit)} ${use.name.replaceAll('_', ' ')}`;
  return use.state === 'exceeded'
    ? `This workspace has used up a quota: ${of}. Uploads are rejected until you delete data or the operator raises the quota.`
    : `This workspace is near a quota: ${of} used.`;
}
