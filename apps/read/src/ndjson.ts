import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { type Caller, requireStill, whileAllowed } from '#http';
import { isHangUp } from './hang-up.ts';

/**
 * Sends one JSON document per line, at the client's speed, as long as the caller has access. A
 * failure before the first line is still a problem document.
 */
export async function sendNdjson(response: Response, caller: Caller, items: AsyncIterable<unknown>, fileName: string): Promise<void> {
  const iterator = whileAllowed(items, () => requireStill(caller))[Symbol.asyncIterator]();
  let next = await iterator.next();
  response.status(200).setHeader('Content-Type', 'application/x-ndjson');
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  async function* lines(): AsyncGenerator<string> {
    for (; !next.done; next = await iterator.next()) yield `${JSON.stringify(next.value)}\n`;
  }
  try {
    await pipeline(Readable.from(lines()), response);
  } catch (error) {
    if (!isHangUp(error)) throw error;
  }
}
