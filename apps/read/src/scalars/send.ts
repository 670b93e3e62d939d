import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/**
 * Sends an answer that its reader may keep and ask for again: the `ETag` is a hash of the bytes, so an unchanged answer costs a 304
 * (RFC 9110, 13.1.2) and pages that refresh themselves carry nothing twice.
 */
export function sendTagged(request: Request, response: Response, contentType: string, bytes: Buffer): void {
  const tag = `"${hash('sha1', bytes, 'base64url')}"`;
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Accept, Authorization, Cookie, Plotline-Share');
  if (matches(request.headers['if-none-match'], tag)) {
    response.status(304).end();
    return;
  }
  response.status(200).setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Whether `If-None-Match` names the tag; weak comparison (RFC 9110, 8.8.3.2). */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
