import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Response } from 'express';

/** Minimum length to compress: shorter responses fit in the first packets anyway. */
const minBytes = 4_096;
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };

/**
 * Ends a response with a string that was created for it, compressed (in a separate thread) if that
 * saves bytes and the client accepts it.
 */
export async function sendText(response: Response, text: string): Promise<void> {
  const plain = Buffer.from(text);
  const encoding = plain.length < minBytes ? false : response.req.acceptsEncodings(['br', 'gzip']);
  response.vary('Accept-Encoding');
  let bytes = plain;
  if (encoding === 'br') bytes = await promisify(brotliCompress)(plain, { params: brotliParams });
  else if (encoding === 'gzip') bytes = await promisify(gzip)(plain, { level: 5 });
  if (encoding) response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}
