import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { quotaUses, quotaWarning } from '../local/quota-uses.ts';

/**
 * Reports which quotas of the workspace are nearly used up, before an upload reaches them. Ignores
 * a token without permission, and a server without quotas.
 */
export async function warnOfQuotas(api: Api, say: (line: string) => void): Promise<void> {
  try {
    for (const use of quotaUses(await api.get('/usage', 'Reading the usage'))) {
      const warning = quotaWarning(use);
      if (warning !== null) say(warning);
    }
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404) || error.code === 'workspace-suspended') throw error;
  }
}
