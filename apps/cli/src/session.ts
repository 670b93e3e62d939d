import type { ExperimentId } from '#model';
import type { Host } from './host.ts';
import { Api } from './http/api.ts';
import { HttpClient } from './http/http-client.ts';
import { isAskedToWait, Retry } from './http/retry.ts';
import { Throttle } from './http/throttle.ts';
import { requireCredentials } from './local/credentials.ts';
import type { Report } from './report.ts';
import { cliVersion } from './version.ts';

/** Interactive commands do not wait long for a server. */
const commandGiveUpMs = 3_000;

/** An authenticated connection to the configured server. */
export interface Session {
  readonly api: Api;
  readonly origin: string;
  close(): void;
}

/** Options of {@link openSession}. `stop`: ends retries. */
export interface SessionOptions {
  readonly connections?: number;
  readonly giveUpAfterMs?: number;
  readonly stop?: AbortSignal;
}

/**
 * Opens a session; throws (exit 3) without a server or a token. Reports once when the server stops
 * responding, and once when it responds again.
 */
export function openSession(host: Host, report: Report, options: SessionOptions = {}): Session {
  const { origin, token } = requireCredentials(host);
  const api = openApi(host, report, { origin, token }, options);
  return { api, origin, close: () => api.http.close() };
}

/**
 * The REST API of a server with this token; null means anonymous. `headers` are sent with every
 * request. The caller closes its `http`.
 */
export function openApi(
  host: Host,
  report: Report,
  {
    origin,
    token,
    headers,
  }: { readonly origin: string; readonly token: string | null; readonly headers?: Readonly<Record<string, string>> },
  options: SessionOptions = {},
): Api {
  const connections = options.connections ?? 2;
  const http = new HttpClient({
    origin,
    token,
    userAgent: `plotline-cli/${cliVersion()}`,
    connections,
    ...(headers && { headers }),
    env: host.env,
  });
  let trouble = false;
  let askedToWait = false;
  const retry = new Retry({
    giveUpAfterMs: options.giveUpAfterMs ?? commandGiveUpMs,
    onPause: (error, _pauseMs, failures) => {
      if (isAskedToWait(error)) {
        if (!askedToWait)
          report.say(`${origin} is busy and asked the upload to wait. Nothing is lost; the upload continues automatically.`);
        askedToWait = true;
        return;
      }
      // A single broken connection is not reported.
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

/** The URL of an experiment's page. */
export function experimentUrl(origin: string, id: ExperimentId): string {
  return `${origin}/e/${id}`;
}
