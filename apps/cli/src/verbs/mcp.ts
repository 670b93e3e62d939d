import { Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Problem } from '#model';
import { mcpServer } from '#summaries/mcp';
import { findExperiment } from '../bridge/find-experiment.ts';
import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { ApiError, toCliError } from '../http/api-error.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';
import { apiSource } from '../summaries/api-source.ts';
import { cliVersion } from '../version.ts';

/**
 * `plotline mcp`: serves the service's read-only tools on stdin and stdout, until stdin ends or the
 * user presses Ctrl-C. With a share link, the tools see only the data that the link shows, and no
 * token is used or sent.
 */
export async function mcp({ argument }: { argument?: string }, host: Host, report: Report): Promise<number> {
  const { source, close } = await openSource(argument, host, report);
  const server = mcpServer(source, { version: cliVersion(), explain });
  const interrupted = new AbortController();
  const release = host.onInterrupt(() => interrupted.abort());
  try {
    // stdout is reserved for the protocol; every message for people goes to stderr.
    const output = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        host.stdout.write(text);
        done();
      },
    });
    const ended = new Promise<void>((resolve) => {
      host.stdin.once('end', resolve).once('close', resolve);
      interrupted.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.connect(new StdioServerTransport(host.stdin, output));
    await ended;
    return exitCodes.done;
  } finally {
    release();
    await server.close();
    close();
  }
}

async function openSource(argument: string | undefined, host: Host, report: Report) {
  if (argument === undefined) {
    const session = openSession(host, report);
    return { source: apiSource(session.api), close: () => session.close() };
  }
  const { api, headers, experimentId } = await findExperiment(argument, host, report);
  return { source: apiSource(api, headers, experimentId), close: () => api.http.close() };
}

function explain(error: unknown): { code: string; detail: string } {
  if (error instanceof Problem) return { code: error.code, detail: error.message };
  if (error instanceof ApiError) return { code: error.code, detail: toCliError(error).message };
  return { code: 'failed', detail: error instanceof Error ? error.message : String(error) };
}
