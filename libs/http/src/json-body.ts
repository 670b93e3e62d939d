import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { pauseIfBusy } from '#admission';
import { limits, Problem } from '#model';
import { BytesAtOnce } from './bytes-at-once.ts';
import { checkCsrfToken } from './csrf.ts';
import { metadata } from './decorators.ts';
import { parseJsonText } from './json-text.ts';
import { contextOf } from './request-context.ts';

/**
 * Reads JSON bodies, after the guard: nothing is buffered without credentials. Handlers with
 * `@StreamsBody()` read the bytes themselves. Whole numbers that float64 cannot represent arrive as
 * strings of their digits, as in responses.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  readonly #reflector: Reflector;

  constructor(reflector: Reflector) {
    this.#reflector = reflector;
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const marked = (key: string): boolean => this.#reflector.get<boolean | undefined>(key, context.getHandler()) === true;
    if (!marked(metadata.streams) && request.method !== 'GET' && request.method !== 'HEAD') {
      const maxBytes = marked(metadata.public)
        ? limits.maxPublicBodyBytes
        : marked(metadata.names)
          ? limits.maxQueryBodyBytes
          : limits.maxJsonBodyBytes;
      const parameters = this.#reflector.get<readonly string[] | undefined>(metadata.oauth, context.getHandler()) ?? null;
      request.body = await readBody(request, { maxBytes, form: marked(metadata.form), parameters });
      if (marked(metadata.form)) request.body = checkCsrfToken(request);
    }
    return next.handle();
  }
}

/** Fields and wide numbers: far more than any real request has. */
const jsonBounds = { maxValues: limits.maxBodyValues, maxFields: 1_000, maxWideNumbers: 1_000, maxNesting: limits.maxNesting };
/** Parsing and checking more would delay other requests for too long. */
const largeBytes = 16 * 1024;
const formType = 'application/x-www-form-urlencoded';

interface BodyForm {
  readonly maxBytes: number;
  /** Whether the body can also be a form. */
  readonly form: boolean;
  /** The known parameters of an OAuth form; null for other handlers. */
  readonly parameters: readonly string[] | null;
}

/**
 * Reads the JSON value (with `form`, also the form fields) of a body of at most `maxBytes`;
 * undefined if there is none.
 */
async function readBody(request: Request, { maxBytes, form, parameters }: BodyForm): Promise<unknown> {
  const announced = request.headers['content-length'];
  if (announced === '0' || (announced === undefined && request.headers['transfer-encoding'] === undefined)) return undefined;
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]!.trim().toLowerCase();
  const isForm = form && type === formType;
  if (type !== 'application/json' && !isForm)
    throw new Problem('unsupported-media-type', `Send the body as application/json, not ${JSON.stringify(type.slice(0, 80))}.`);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw new Problem('unsupported-encoding', 'Send JSON bodies without a content encoding.');
  if (Number(announced ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length > largeBytes) await pauseIfBusy();
  if (!isForm) return parseJsonText(textOf(bytes), jsonBounds);
  const fields = parseForm(bytes);
  return parameters === null ? fields : recognised(fields, parameters);
}

/** A guess: hundreds of times the usual concurrent amount. */
const bytesAtOnce = new BytesAtOnce(64 * 1024 * 1024);
/** Bodies are small and arrive within this time even over a slow line. */
const timeoutMs = 60_000;

/**
 * Reads the raw bytes of a small body. Throws `body-too-large`, `body-timeout`, `body-incomplete`,
 * and `rate-limited` if too many bytes are being sent at once.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const idle = setTimeout(() => fail(new Problem('body-timeout', 'The body stopped arriving; send it again.')), limits.bodyIdleTimeoutMs);
    const tenantId = contextOf(request).caller?.tenantId ?? '';
    const deadline = setTimeout(
      () => fail(new Problem('body-timeout', `The body took longer than ${timeoutMs / 1_000} s; send it again.`)),
      timeoutMs,
    );
    const fail = (problem: Problem): void => {
      stop();
      request.resume(); // the rest is discarded, so that the client can read the response
      reject(problem);
    };
    const onData = (piece: Buffer): void => {
      idle.refresh();
      bytes += piece.length;
      const reservation = bytesAtOnce.take(tenantId, piece.length);
      if (bytes > maxBytes) fail(tooLarge(maxBytes));
      else if (!reservation) fail(new Problem('rate-limited', 'The server is receiving too much data at once. Try again in a moment.'));
      else pieces.push(piece);
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(pieces));
    };
    const onClose = (): void => fail(new Problem('body-incomplete', 'The connection ended before the body did; send it again.'));
    const stop = (): void => {
      bytesAtOnce.giveBack(tenantId, bytes);
      clearTimeout(idle);
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      request.on('error', () => undefined); // errors of an aborted request are irrelevant
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Problem('bad-request', 'The body is not valid UTF-8.', { cause: error });
  }
}

/** A repeated field has no unambiguous value. */
function parseForm(bytes: Buffer): Record<string, string> {
  const fields = [...new URLSearchParams(textOf(bytes))];
  if (new Set(fields.map(([name]) => name)).size < fields.length) throw new Problem('bad-request', 'A field appears twice in the form.');
  return Object.fromEntries(fields);
}

/** RFC 6749, 3.2: unknown parameters, and parameters without a value, are ignored. */
function recognised(fields: Record<string, string>, parameters: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== '' && parameters.includes(name)));
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `The body can have up to ${maxBytes} bytes.`);
}
