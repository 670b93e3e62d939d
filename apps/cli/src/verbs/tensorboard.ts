import { once } from 'node:events';
import type { ServiceError } from '@grpc/grpc-js';
import { Bridge } from '../bridge/bridge.ts';
import { findExperiment } from '../bridge/find-experiment.ts';
import { findGrpcTarget } from '../bridge/grpc-target.ts';
import { TensorBoardProcess } from '../bridge/tensorboard-process.ts';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Report } from '../report.ts';
import { cliVersion } from '../version.ts';

/** Flags of `plotline tensorboard`. */
export interface TensorBoardFlags {
  readonly argument: string;
  /** Arguments after `--`, for TensorBoard. */
  readonly rest: readonly string[];
  readonly port?: number;
  readonly bridgeOnly?: boolean;
}

/**
 * `plotline tensorboard`: shows an experiment in stock TensorBoard until Ctrl-C. TensorBoard reads
 * it from the service through a bridge on this machine.
 */
export async function tensorboard(flags: TensorBoardFlags, host: Host, report: Report): Promise<number> {
  const interrupted = new AbortController();
  const release = host.onInterrupt(() => interrupted.abort());
  const visit = await findExperiment(flags.argument, host, report).catch((error: unknown) => {
    release();
    throw error;
  });
  let bridge: Bridge | null = null;
  try {
    const { origin } = visit.api.http;
    bridge = new Bridge({
      ...(await findGrpcTarget(visit.api)),
      experimentId: visit.experimentId,
      headers: visit.headers,
      userAgent: `plotline-cli/${cliVersion()}`,
      onTrouble: sayOnce(report, origin),
    });
    await bridge.check().catch((error: ServiceError) => {
      throw new CliError(exitCodes.failed, `${origin} cannot be read over gRPC: ${error.details || error.message}`, {
        code: 'no-grpc',
        cause: error,
      });
    });
    await bridge.listen();
    report.document({ experiment: visit.experimentId, grpc_data_provider: bridge.address });
    return await show(bridge, flags, host, report, interrupted.signal);
  } finally {
    bridge?.close();
    visit.api.http.close();
    release();
  }
}

async function show(bridge: Bridge, flags: TensorBoardFlags, host: Host, report: Report, interrupted: AbortSignal): Promise<number> {
  const port = flags.port === undefined ? [] : ['--port', String(flags.port)];
  const args = ['--grpc_data_provider', bridge.address, ...port, ...flags.rest];
  if (flags.bridgeOnly) {
    report.result(`Ready for TensorBoard until Ctrl-C: tensorboard ${args.join(' ')}`);
    return untilInterrupted(interrupted);
  }
  const child = new TensorBoardProcess(args, host, report.stderr);
  const ended = child.ended.catch((error: unknown) => error as NodeJS.ErrnoException);
  const outcome = await Promise.race([ended, untilInterrupted(interrupted)]);
  await child.stop();
  if (interrupted.aborted || outcome === 0) return exitCodes.done;
  if (outcome instanceof Error && outcome.code === 'ENOENT') {
    report.say('tensorboard is not on the PATH. Install it: pip install tensorboard');
    report.result(`Run this in another terminal, until Ctrl-C here: tensorboard ${args.join(' ')}`);
    return untilInterrupted(interrupted);
  }
  const why = outcome instanceof Error ? outcome.message : outcome === null ? 'by a signal' : `with code ${outcome}`;
  throw new CliError(exitCodes.failed, `tensorboard exited: ${why}`, { code: 'tensorboard-failed' });
}

/** Waits for Ctrl-C. The bridge, not this promise, keeps the process alive. */
async function untilInterrupted(interrupted: AbortSignal): Promise<number> {
  if (!interrupted.aborted) await once(interrupted, 'abort');
  return exitCodes.done;
}

/** TensorBoard does not show such errors to users, and keeps retrying. */
function sayOnce(report: Report, origin: string): (code: 'unavailable' | 'unauthenticated', details: string) => void {
  const said = new Set<string>();
  return (code, details) => {
    if (said.has(code)) return;
    said.add(code);
    report.say(
      code === 'unavailable'
        ? `${origin} did not respond to TensorBoard: ${details}`
        : `${origin} no longer accepts this token. Sign in again with \`plotline login\`, then restart this command.`,
    );
  };
}
