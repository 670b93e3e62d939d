import type { z } from 'zod';
import type { ProblemCode } from '#model';

/** A route's response that is not a problem. */
export interface ResponseDoc {
  readonly status: number;
  readonly about: string;
  /** Schemas by media type; null if the body is not JSON. Absent if there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType | null>>;
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A header of a request. */
export interface HeaderDoc {
  readonly about: string;
  readonly required?: true;
  /** A regular expression. */
  readonly pattern?: string;
  /** Characters. */
  readonly maxLength: number;
}

/** One route of the service, as described in the OpenAPI document. */
export interface RouteDoc {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** As the handler declares it, e.g. `/api/v1/experiments/:experimentId`. */
  readonly path: string;
  readonly tag:
    | 'experiments'
    | 'runs and series'
    | 'points'
    | 'files'
    | 'progress'
    | 'upload'
    | 'reports'
    | 'deletions'
    | 'exports'
    | 'access'
    | 'members'
    | 'service'
    | 'pages';
  readonly summary: string;
  readonly about?: string;
  /**
   * Another address does the same. This address is kept for clients that do not know the other
   * address.
   */
  readonly deprecated?: true;
  /** Needs no credentials. */
  readonly public?: boolean;
  /**
   * Whether the requests of this public route do not count against the rate limit of their address.
   */
  readonly uncounted?: boolean;
  readonly query?: z.ZodObject;
  readonly headers?: Readonly<Record<string, HeaderDoc>>;
  /**
   * `optional`: the body may be omitted. If all fields of a schema are optional, so is the body.
   */
  readonly body?: { readonly schema: z.ZodType | null; readonly mediaType?: string; readonly example?: unknown; readonly optional?: true };
  /** Problems have the OAuth format, as plain JSON. */
  readonly oauth?: true;
  /** Accepts an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  readonly responses: readonly ResponseDoc[];
  /** The route's problem codes, in addition to the codes of every route. */
  readonly problems: readonly ProblemCode[];
}

/** A JSON response. */
export function json(schema: z.ZodType, about: string, example?: unknown, status = 200): ResponseDoc {
  return { status, about, content: { 'application/json': schema }, ...(example === undefined ? {} : { example }) };
}
