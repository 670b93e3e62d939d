import type { Host } from './host.ts';
import { Api } from './http/api.ts';
import { HttpClient } from './http/http-client.ts';
import { isAskedToWait, Retry } from './http/retry.ts';
import { Throttle } from './http/throttle.ts';
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
  const api = openApi(host, report, { origin, token }, options);
  return { api, origin, close: () => api.http.close() };
}

/** The REST API of a server, for whoever has this token; null: for anybody. The caller closes `http` of it. */
export function openApi(
  host: Host,
  report: Report,
  { origin, token }: { readonly origin: string; readonly token: string | null },
  options: SessionOptions = {},
): Api {
  const connections = options.connections ?? 2;
  const http = new HttpClient({
    origin,
    token,
    userAgent: `plotline-cli/${cliVersion()}`,
    connections,
    env: host.env,
  });
  let trouble = false;
  let askedToWait = false;
  const retry = new Retry({
    giveUpAfterMs: options.giveUpAfterMs ?? patienceOfCommandsMs,
    onPause: (error, _pauseMs, failures) => {
      if (isAskedToWait(error)) {
        if (!askedToWait) report.say(`${origin} is busy and asks to wait. Nothing is lost; the upload continues by itself.`);
        askedToWait = true;
        return;
      }
      // One broken connection is nothing to talk about.
      if (failures < 3 || trouble) return;
      trouble = true;
      report.say(`${error.message}; retrying …`);
    },
    onSuccess: () => {
      if (trouble) report.say(`${origin} is available again.`);
      trouble = false;
    },
  });
  return new Api(http, retry, new Throttle({ atOnce: connections }), options.stop);
}

/** The page that people are sent to. */
export function experimentUrl(origin: string, id: string): string {
  return `${origin}/e/${id}`;
}
