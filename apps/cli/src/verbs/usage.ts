import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asObject, shown } from '../http/json.ts';
import { amount, quotaUses, quotaWarning } from '../local/quota-uses.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

/**
 * `plotline usage`: shows the workspace's usage and quotas, and warnings about quotas that are
 * nearly used up.
 */
export async function usage(_flags: object, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const response = await session.api.get('/usage', 'Reading the usage');
    const uses = quotaUses(response);
    report.document(response);
    report.table(
      ['QUOTA', 'USED', 'OF', 'SHARE'],
      uses.map((use) => [
        use.name.replaceAll('_', ' '),
        amount(use, use.used),
        amount(use, use.limit),
        use.limit === 0 ? null : `${Math.floor((use.used / use.limit) * 100)} %`,
      ]),
    );
    if (response['suspension']) {
      const { mode, since, reason } = asObject(response['suspension'], 'suspension');
      report.say(`This workspace has been ${shown(mode)} since ${shown(since)}: ${shown(reason)}`);
    }
    for (const use of uses) {
      const warning = quotaWarning(use);
      if (warning !== null) report.say(warning);
    }
    return exitCodes.done;
  } finally {
    session.close();
  }
}
