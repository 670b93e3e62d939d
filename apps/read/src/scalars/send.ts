import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { pauseIfLong } from '#admission';
import { sendPieces } from '#http';
import type { TagName } from '#model';

/**
 * Sends a cacheable response. The `ETag` is a hash of the bytes, so an unchanged response costs
 * only a 304 (RFC 9110, 13.1.2), and pages that refresh themselves transfer nothing twice. Resolves
 * when the whole response has been passed to the connection, or when the connection has ended.
 */
export async function sendTagged(request: Request, response: Response, contentType: string, pieces: readonly Uint8Array[]): Promise<void> {
  const hash = createHash('sha1');
  for (const piece of pieces) {
    const pause = pauseIfLong();
    if (pause) await pause;
    hash.update(piece);
  }
  const tag = `"${hash.digest('base64url')}"`;
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Accept, Authorization, Cookie, Plotline-Share');
  if (matches(request.headers['if-none-match'], tag)) {
    response.status(304).end();
    return;
  }
  response.status(200).setHeader('Content-Type', contentType);
  await sendPieces(response, pieces);
}

/** Whether `If-None-Match` contains the tag, by weak comparison (RFC 9110, 8.8.3.2). */
export function matches(header: string | undefined, tag: TagName): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
