import { SigningKeys, WorkloadIssuers } from '#auth';
import type { Config } from '#config';
import type { Store } from '#store';
import { missing } from './missing.ts';
import { type Patience, whenUsable } from './when-usable.ts';

/**
 * What a process that issues JWTs needs besides its store: the signing keys, and the trusted
 * issuers of workload tokens. Creates the first key, before any request.
 */
export async function openSigning(
  store: Store,
  { config: { auth }, ...patience }: Patience & { readonly config: Config },
  secretKey = auth.secretKey,
) {
  const signingKeys = new SigningKeys(store, secretKey ?? missing('PLOTLINE_SECRET_KEY'));
  await whenUsable(patience, () => signingKeys.current());
  return [
    { provide: SigningKeys, useValue: signingKeys },
    { provide: WorkloadIssuers, useValue: new WorkloadIssuers(auth.workloadIssuers, store.clock) },
  ];
}
