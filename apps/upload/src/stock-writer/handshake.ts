import type { Sent, ServerInfoRequest, ServerInfoResponse } from '#protocols';
import { maxUploaderBlobBytes } from './blob-sequences.ts';
import { verdictOn, verdicts } from './client-version.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * The plugins whose data uploaders should send. Data of other plugins is not rejected, because a
 * client may skip the handshake.
 */
export const uploadedPlugins: readonly string[] = [
  'scalars',
  'histograms',
  'distributions',
  'images',
  'audio',
  'text',
  'graphs',
  'graph_run_metadata',
  'graph_run_metadata_graph',
  'graph_keras_model',
  'graph_tagged_run_metadata',
  'hparams',
  'pr_curves',
  'mesh',
  'custom_scalars',
];

/**
 * Below the message limits (#grpc), to leave space for names. A client interprets 0 as its own
 * default of several seconds; one millisecond practically means no pause.
 */
const uploadLimits: Required<Sent<NonNullable<ServerInfoResponse['uploadLimits']>>> = {
  maxBlobSize: maxUploaderBlobBytes,
  maxTensorPointSize: 8 * MiB,
  maxScalarRequestSize: 256 * KiB,
  maxTensorRequestSize: 10 * MiB,
  maxBlobRequestSize: 1 * MiB,
  minScalarRequestInterval: 1,
  minTensorRequestInterval: 1,
  minBlobRequestInterval: 1,
};

/** The placeholder for the experiment id in URL templates. */
const placeholder = '{{EID}}';

const unreachable = {
  off: 'This service does not accept TensorBoard uploads (PLOTLINE_GRPC_PORT is off). Use `plotline upload` instead.',
  elsewhere: 'This service does not accept TensorBoard uploads from other machines (PLOTLINE_GRPC_HOST). Use `plotline upload` instead.',
} as const;

/** The addresses of the service. */
export interface HandshakePlaces {
  /**
   * A gRPC target. `off`: there is none. `elsewhere`: the client is on another machine and cannot
   * reach it.
   */
  readonly target: { readonly endpoint: string } | 'off' | 'elsewhere';
  /** The URL of an experiment's page. */
  pageOf(experimentId: string): string;
}

/**
 * The response to a client's first request: whether the client works with this service, which
 * addresses it should use, and how much it should send per request. Lists the requested plugins
 * that are supported.
 */
export function handshakeResponse(
  { version, pluginSpecification }: ServerInfoRequest,
  { target, pageOf }: HandshakePlaces,
): Sent<ServerInfoResponse> {
  if (typeof target === 'string') return { compatibility: { verdict: verdicts.error, details: unreachable[target] } };
  const requested = pluginSpecification?.uploadPlugins ?? [];
  const allowedPlugins = requested.length === 0 ? uploadedPlugins : requested.filter((name) => uploadedPlugins.includes(name));
  return {
    compatibility: verdictWith(verdictOn(version), requested, allowedPlugins),
    apiServer: target,
    urlFormat: { template: pageOf(placeholder), idPlaceholder: placeholder },
    pluginControl: { allowedPlugins },
    uploadLimits,
  };
}

function verdictWith(verdict: ReturnType<typeof verdictOn>, requested: readonly string[], allowed: readonly string[]) {
  const left = requested.filter((name) => !allowed.includes(name));
  if (verdict.verdict === verdicts.error || left.length === 0) return verdict;
  const names = left.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 80)));
  const details = [verdict.details, `These plugins are not supported: ${names.join(', ')}.`].filter((text) => text !== '').join(' ');
  return { verdict: allowed.length === 0 ? verdicts.error : verdicts.warn, details };
}
