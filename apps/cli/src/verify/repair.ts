import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentId } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { intField } from '../http/json.ts';
import { plural, type Report } from '../report.ts';

const askEveryMs = 500;
/** If no run has been repaired for this long, the service is considered stuck. */
const stuckAfterMs = 10 * 60_000;

/**
 * Makes the service reapply its data rules to all stored points of the experiment, and waits until
 * it is done. Returns the number of requested runs.
 */
export async function repair(api: Api, id: ExperimentId, report: Report): Promise<number> {
  const path = `/experiments/${id}/repair`;
  const read = async (): Promise<number> => intField(await api.get(path, 'Reading the progress of the repair'), 'runs_waiting');
  const asked = intField(await api.send('POST', path, `Repairing experiment ${id}`, {}), 'runs_waiting');
  let [waiting, movedAt] = [asked, performance.now()];
  while (waiting > 0) {
    report.status(`Repairing: ${plural(waiting, 'run')} left`);
    await sleep(askEveryMs);
    const now = await read();
    if (now !== waiting) movedAt = performance.now();
    waiting = now;
    if (performance.now() - movedAt > stuckAfterMs)
      throw new CliError(
        exitCodes.failed,
        `The service has repaired nothing for ten minutes; ${plural(waiting, 'run')} left. The repair continues automatically.`,
        {
          code: 'repair-stuck',
        },
      );
  }
  return asked;
}
