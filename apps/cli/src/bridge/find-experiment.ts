import { type ExperimentId, isExperimentId } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { requireCredentials, parseOrigin } from '../local/credentials.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import type { Report } from '../report.ts';
import { openApi } from '../session.ts';

/** An experiment, and the credentials to read it. */
export interface Visit {
  readonly api: Api;
  readonly experimentId: ExperimentId;
  /** The credentials, as headers for HTTP and gRPC. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Finds an experiment by its id, the URL of its page, or a share link. Throws if it cannot be read.
 * The caller closes `api.http`.
 */
export async function findExperiment(named: string, host: Host, report: Report): Promise<Visit> {
  const link = /^(https?:\/\/[^/]+)\/s\/([A-Za-z0-9_-]+)\/?$/.exec(named);
  if (link) return openLink(parseOrigin(link[1]!), link[2]!, host, report);
  const experimentId = parseExperimentId(named);
  const { origin, token } = requireCredentials(host);
  const api = openApi(host, report, { origin, token });
  try {
    await api.get(`/experiments/${experimentId}`, `Experiment ${experimentId}`);
    return { api, experimentId, headers: { authorization: `Bearer ${token}` } };
  } catch (error) {
    api.http.close();
    throw error;
  }
}

/**
 * Finds the experiment of a link through the redirect that a browser would follow. No token is
 * needed: every request of the returned `api` carries the secret.
 */
async function openLink(origin: string, secret: string, host: Host, report: Report): Promise<Visit> {
  const credentials = { 'plotline-share': secret };
  const api = openApi(host, report, { origin, token: null, headers: credentials });
  try {
    const { status, headers } = await api.http.request('GET', `/s/${secret}`);
    const experimentId = /\/e\/([A-Za-z0-9]{22})$/.exec(headers.location ?? '')?.[1];
    if (status !== 303 || experimentId === undefined || !isExperimentId(experimentId))
      throw new CliError(
        exitCodes.notFound,
        `${origin} does not recognize this link. It has expired, was revoked, never existed, or belongs to another service.`,
        { code: 'share-link-not-found' },
      );
    return { api, experimentId, headers: credentials };
  } catch (error) {
    api.http.close();
    throw error;
  }
}
