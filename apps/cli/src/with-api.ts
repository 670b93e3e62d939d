import { exitCodes } from './exit.ts';
import type { Host } from './host.ts';
import type { Api } from './http/api.ts';
import type { Report } from './report.ts';
import { openSession } from './session.ts';

/** Opens a session for a short task, and closes it. */
export async function withApi(host: Host, report: Report, work: (api: Api, origin: string) => Promise<void>): Promise<number> {
  const session = openSession(host, report);
  try {
    await work(session.api, session.origin);
    return exitCodes.done;
  } finally {
    session.close();
  }
}
