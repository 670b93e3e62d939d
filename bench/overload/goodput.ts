import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { GeneratedLogs } from '../lib/generate-logs.ts';
import { HttpClient } from '../lib/http.ts';
import { startService, type Service } from '../lib/service.ts';
import { FileSender, newExperiment } from './file-sender.ts';

export interface Goodput {
  /** Bytes that became visible per second, from the first sent byte until everything is visible. */
  readonly bytesPerSecond: number;
  /** Bytes offered per second while there was something to send, both accepted and rejected. */
  readonly offeredPerSecond: number;
  readonly rejected: number;
  /** Rejections without Retry-After or without RateLimit fields. */
  readonly incompleteRejections: number;
  /**
   * CPU time of the service and its Postgres, from the first byte sent until everything is visible.
   */
  readonly processorSeconds: number;
  /** Bytes that were acknowledged and are not visible at the end. */
  readonly lostBytes: number;
}

const rangeBytes = 256 * 1024;
/**
 * Many connections, because the service keeps a range waiting for a second before it rejects it.
 */
const connections = 256;

/** A range to send. */
interface Range {
  readonly fileId: string;
  readonly offset: number;
  readonly body: Buffer;
}

/**
 * Sends logs at a fixed rate, regardless of the responses, until everything is acknowledged, and
 * waits until it is visible (reliability test 56). Rejected ranges return to the queue immediately:
 * these clients ignore Retry-After.
 */
export async function goodput(
  folder: string,
  logs: GeneratedLogs,
  options: { readonly settings: Readonly<Record<string, string>>; readonly offeredPerSecond: number },
): Promise<Goodput> {
  const service = await startService(folder, options.settings);
  const senders = Array.from({ length: connections }, () => new FileSender(service));
  try {
    const experimentId = await newExperiment(service, 'goodput');
    const queue = await rangesOf(senders[0]!, experimentId, logs);
    const counts = { accepted: 0, offered: 0, rejected: 0, rude: 0 };
    const processorBefore = service.usage().processorSeconds;
    const started = performance.now();
    const everyMs = (rangeBytes / options.offeredPerSecond) * 1_000;
    let next = started;
    await Promise.all(
      senders.map(async (sender) => {
        while (counts.accepted < logs.bytes) {
          const range = queue.shift();
          if (!range) {
            await delay(5); // The last ranges are in flight and may be rejected.
            continue;
          }
          // Never catches up by more than a second, because this client has its limits too.
          next = Math.max(next + everyMs, performance.now() - 1_000);
          await delay(Math.max(0, next - performance.now()));
          const attempt = await sender.append(range.fileId, range.offset, range.body);
          counts.offered += range.body.length;
          if (attempt.status === 204) {
            counts.accepted += range.body.length;
          } else if (attempt.status === 429 || attempt.status === 503) {
            counts.rejected++;
            if (attempt.retryAfterMs === null || !attempt.statesQuota) counts.rude++;
            queue.unshift(range);
          } else {
            throw new Error(`an append got status ${attempt.status}`);
          }
        }
      }),
    );
    const sentSeconds = (performance.now() - started) / 1_000;
    const visible = await untilVisible(service, experimentId);
    const seconds = (performance.now() - started) / 1_000;
    return {
      bytesPerSecond: visible / seconds,
      offeredPerSecond: counts.offered / sentSeconds,
      rejected: counts.rejected,
      incompleteRejections: counts.rude,
      processorSeconds: service.usage().processorSeconds - processorBefore,
      lostBytes: counts.accepted - visible,
    };
  } finally {
    for (const sender of senders) sender.close();
    await service.stop();
  }
}

/** Returns all ranges, interleaved over the files as if several training runs uploaded. */
async function rangesOf(sender: FileSender, experimentId: string, logs: GeneratedLogs): Promise<Range[]> {
  const perFile: Range[][] = [];
  for (const [n, path] of logs.files.entries()) {
    const fileId = await sender.announce(experimentId, `run-${n}`);
    const bytes = readFileSync(path);
    const ranges: Range[] = [];
    for (let offset = 0; offset < bytes.length; offset += rangeBytes)
      ranges.push({ fileId, offset, body: bytes.subarray(offset, offset + rangeBytes) });
    perFile.push(ranges);
  }
  const longest = Math.max(...perFile.map((ranges) => ranges.length));
  return Array.from({ length: longest }, (_, i) => perFile.flatMap((ranges) => ranges[i] ?? [])).flat();
}

async function untilVisible(service: Service, experimentId: string): Promise<number> {
  const http = new HttpClient();
  const url = `${service.origin}/api/v1/experiments/${experimentId}/frontier`;
  const headers = { authorization: `Bearer ${service.token}` };
  try {
    for (;;) {
      const frontier = await http.json<{ visible: boolean; acknowledged_epoch: number; visible_bytes: number }>(url, { headers });
      if (frontier.visible) return frontier.visible_bytes;
      // The service responds with 408 after a long wait; the loop sends another request.
      await http.send(`${url}?wait_for=${frontier.acknowledged_epoch}&timeout=10`, { headers });
    }
  } finally {
    http.close();
  }
}
