import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { ProbeMetrics } from '../probe/probe-metrics.ts';
import { probeRound, type ProbeResult } from '../probe/probe-round.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

interface ProbeFlags {
  readonly every: number;
  readonly timeout: number;
  readonly once?: boolean;
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/**
 * `plotline probe`: uploads a point and reads it back at regular intervals, until Ctrl-C or
 * SIGTERM. Then finishes the running round, so that its experiment is deleted. With `--once`, runs
 * a single round; exit code 1 if it fails.
 */
export async function probe(flags: ProbeFlags, host: Host, report: Report): Promise<number> {
  const round = async (): Promise<ProbeResult> => {
    const session = openSession(host, report, { giveUpAfterMs: flags.timeout * 1_000 }); // new connections, like a new client
    try {
      return await probeRound(session.api, flags.timeout * 1_000);
    } finally {
      session.close();
    }
  };
  if (flags.once) {
    const { seconds, failed } = await round();
    if (failed)
      throw new CliError(exitCodes.failed, `The probe failed in phase "${failed.phase}": ${failed.error.message}`, {
        code: `probe-${failed.phase}`,
      });
    report.document({ seconds });
    report.result(
      Object.entries(seconds)
        .map(([phase, value]) => `${phase} ${value.toFixed(3)} s`)
        .join(', '),
    );
    return exitCodes.done;
  }
  const metrics = new ProbeMetrics();
  const stop = new AbortController();
  const release = host.onInterrupt(() => stop.abort());
  const server = flags.metricsPort === undefined ? null : await serve(metrics, flags.metricsHost, flags.metricsPort);
  if (server) report.say(`Metrics are at http://${flags.metricsHost}:${(server.address() as AddressInfo).port}/metrics`);
  try {
    let failing = false;
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      const result = await round();
      metrics.add(result, Date.now() / 1_000);
      if (result.failed) report.say(`The probe failed in phase "${result.failed.phase}": ${result.failed.error.message}`);
      else if (failing) report.say('The probe succeeds again.');
      failing = result.failed !== null;
      const leftMs = flags.every * 1_000 - (performance.now() - startedAt);
      if (leftMs > 0) await sleep(leftMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    return exitCodes.interrupted;
  } finally {
    release();
    server?.closeAllConnections();
    server?.close();
  }
}

async function serve(metrics: ProbeMetrics, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const found = request.url === '/metrics' && request.method === 'GET';
    response.writeHead(found ? 200 : 404, { 'Content-Type': `text/plain; version=0.0.4; charset=utf-8` });
    response.end(found ? metrics.text : 'There is nothing at this address\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CliError(exitCodes.failed, `Cannot serve the metrics on port ${port} of ${host}: ${error.message}.`, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  return server;
}
