import 'reflect-metadata';
import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Readable } from 'node:stream';
import type { Request } from 'express';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { limits, Problem } from '#model';
import { metadata } from './decorators.ts';
import { JsonBodyInterceptor } from './json-body.ts';
import { begin } from './request-context.ts';

/**
 * Sends these pieces to a handler with this metadata, without `content-length`, as with chunked
 * encoding. Returns the parsed body or the problem's code.
 */
async function send(pieces: readonly Buffer[], { marks = [], announced }: { marks?: string[]; announced?: number } = {}): Promise<unknown> {
  const handler = () => undefined;
  for (const mark of marks) Reflect.defineMetadata(mark, true, handler);
  const headers = announced === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(announced) };
  const request = Object.assign(Readable.from(pieces), { method: 'POST', headers, body: undefined });
  begin(request, undefined, { destroyed: false, setHeader: () => undefined, once: () => undefined });
  const context = {
    switchToHttp: () => ({ getRequest: () => request as unknown as Request }),
    getHandler: () => handler,
  } as unknown as ExecutionContext;
  try {
    await new JsonBodyInterceptor(new Reflector()).intercept(context, { handle: () => of(null) } as CallHandler);
    return request.body;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

/** A JSON text of exactly this many bytes. */
const text = (bytes: number) => Buffer.from(`"${'x'.repeat(bytes - 2)}"`);

function inPieces(bytes: Buffer): Buffer[] {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 1_000) pieces.push(bytes.subarray(at, at + 1_000));
  return pieces;
}

describe.each<[string, string[], number]>([
  ['a JSON body', [], limits.maxJsonBodyBytes],
  ['a body that names runs and tags', [metadata.names], limits.maxQueryBodyBytes],
  ['a body without credentials', [metadata.public], limits.maxPublicBodyBytes],
])('%s', (_, marks, max) => {
  it('is read at exactly the limit: whole, in pieces, with and without Content-Length', async () => {
    const bytes = text(max);
    for (const pieces of [[bytes], inPieces(bytes)])
      for (const announced of [max, undefined]) expect(await send(pieces, { marks, announced })).toHaveLength(max - 2);
  });

  it('is rejected with one byte more: whole, in pieces, with and without Content-Length', async () => {
    const bytes = text(max + 1);
    for (const pieces of [[bytes], inPieces(bytes)])
      for (const announced of [max + 1, undefined]) expect(await send(pieces, { marks, announced })).toBe('body-too-large');
  });
});

describe('the values of a JSON body', () => {
  // The list counts as a value, and each comma counts for the item after it, so a list of n items
  // counts n.
  it.each([
    [limits.maxBodyValues, true],
    [limits.maxBodyValues + 1, false],
  ])('%i items', async (items, fits) => {
    const body = await send([Buffer.from(JSON.stringify(Array.from({ length: items }, () => 0)))]);
    if (fits) expect(body).toHaveLength(items);
    else expect(body).toBe('body-too-large');
  });

  it.each([
    [limits.maxNesting, true],
    [limits.maxNesting + 1, false],
  ])('%i levels', async (levels, fits) => {
    const body = await send([Buffer.from('['.repeat(levels) + ']'.repeat(levels))]);
    expect(Array.isArray(body)).toBe(fits);
    if (!fits) expect(body).toBe('bad-request');
  });
});
