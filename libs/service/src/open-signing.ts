import { SigningKeys, WorkloadIssuers } from '#auth';
import { type Config, secretOf } from '#config';
import type { Secret } from '#config/secrets';
import type { Store } from '#store';
import { missing } from './missing.ts';
import { type StartContext, whenUsable } from './when-usable.ts';

/**
 * Opens the dependencies of a process that issues JWTs, besides its store: the signing keys, and
 * the trusted issuers of workload tokens. Creates the first key before any request.
 */
export async function openSigning(
  store: Store,
  { config, ...context }: StartContext & { readonly config: Config },
  secretKey: Secret | undefined = secretOf(config, 'PLOTLINE_SECRET_KEY'),
) {
  const signingKeys = new SigningKeys(store, secretKey ?? missing('PLOTLINE_SECRET_KEY'));
  await whenUsable(context, () => signingKeys.current());
  return [
    { provide: SigningKeys, useValue: signingKeys },
    { provide: WorkloadIssuers, useValue: new WorkloadIssuers(config.auth.workloadIssuers, store.clock) },
  ];
}
