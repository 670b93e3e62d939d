import { isDeepStrictEqual } from 'node:util';
import { routeDocs } from '../meta/openapi.ts';
import type { RouteDoc } from '../meta/openapi/route-doc.ts';

/** A response that a test received. */
export interface ReceivedResponse {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
  readonly status: number;
  /** Null if there is no body. */
  readonly mediaType: string | null;
  /** The parsed body if it is JSON. */
  readonly json: unknown;
}

/**
 * Throws if a successful response differs from the OpenAPI document: its route or status is not
 * documented, its JSON does not fit the schema, or it has fields that the schema lacks.
 */
export function checkDocumented({ method, path, status, mediaType, json }: ReceivedResponse): void {
  if (status < 200 || status > 299) return;
  const [plainPath = ''] = path.split('?');
  const ofPath = routeDocs.filter((route) => matches(route, plainPath));
  // HEAD is GET without a body, unless it is documented separately
  const doc =
    ofPath.find((route) => route.method === method) ?? (method === 'HEAD' ? ofPath.find((route) => route.method === 'GET') : undefined);
  const about = `${method} ${plainPath}: ${status}`;
  if (!doc) throw new Error(`${about}: the OpenAPI document has no such route`);
  const response = doc.responses.find((one) => one.status === status);
  if (!response) throw new Error(`${about} is not documented for ${doc.path}`);
  if (mediaType !== 'application/json') return; // the type of a blob is as it was logged
  const schema = response.content?.[mediaType];
  if (schema === undefined) throw new Error(`${about}: JSON is not documented for ${doc.path}`);
  if (schema === null) return;
  const { success, data, error } = schema.safeParse(json);
  if (!success) throw new Error(`${about} does not fit its documented schema: ${error.message}`);
  if (!isDeepStrictEqual(data, json)) throw new Error(`${about} has fields that are not documented: ${extraFields(json, data).join(', ')}`);
}

/** Whether a path matches this route, e.g. `/api/v1/files/17` of `/api/v1/files/:fileId`. */
function matches({ path }: RouteDoc, asked: string): boolean {
  const pattern = path
    .split('/')
    .map((part) => (part.startsWith('*') ? '.+' : part.replace(/[.]/g, String.raw`\.`).replace(/:[A-Za-z]+/g, '[^/]+')))
    .join('/');
  return new RegExp(`^${pattern}$`).test(asked);
}

/** The paths at which `received` has more than its parsed form. */
function extraFields(received: unknown, known: unknown, at = ''): string[] {
  if (typeof received !== 'object' || received === null || typeof known !== 'object' || known === null)
    return isDeepStrictEqual(received, known) ? [] : [at];
  return Object.entries(received).flatMap(([name, value]) =>
    Object.hasOwn(known, name) ? extraFields(value, (known as Record<string, unknown>)[name], `${at}/${name}`) : [`${at}/${name}`],
  );
}
