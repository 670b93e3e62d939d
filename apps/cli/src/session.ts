import type { Host } from './host.ts';
import { Api } from './http/api.ts';
import { HttpClient } from './http/http-client.ts';
import { Retry } from './http/retry.ts';
import { requireCredentials } from './local/credentials.ts';
import type { Report } from './report.ts';
import { cliVersion } from './version.ts';

/** Commands that answer at once do not wait long for a server. */
const patienceOfCommandsMs = 3_000;

/** A signed-in connection to the server that this host is set up for. */
export interface Session {
  readonly api: Api;
  readonly origin: string;
  close(): void;
}

/** Settings of {@link openSession}. `stop`: no more retries from then on. */
export interface SessionOptions {
  readonly connections?: number;
  readonly giveUpAfterMs?: number;
  readonly stop?: AbortSignal;
}

/** Opens a session; throws (exit 3) when no server or no token is known. Says once when the server does not answer, and once when it does again. */
export function openSession(host: Host, report: Report, options: SessionOptions = {}): Session {
  const { origin, token } = requireCredentials(host);
  const http = new HttpClient({
    origin,
    token,
    userAgent: `plotline-cli/${cliVersion()}`,
    connections: options.connections ?? 2,
    env: host.env,
  });
  let trouble = false;
  const retry = new Retry({
    giveUpAfterMs: options.giveUpAfterMs ?? patienceOfCommandsMs,
    onPause: (error, _pauseMs, failures) => {
      // One broken connection is nothing to talk about.
      if (failures < 3 || trouble) return;
      trouble = true;
      report.say(`${error.message}; trying again …`);
    },
    onSuccess: () => {
      if (trouble) report.say(`${origin} answers again.`);
      trouble = false;
    },
  });
  return { api: new Api(http, retry, options.stop), origin, close: () => http.close() };
}

/** The page that people are sent to. */
export function experimentUrl(origin: string, id: string): string {
  return `${origin}/e/${id}`;
}
