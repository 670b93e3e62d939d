import { z } from 'zod';
import { httpProblems, problemType } from '#http';
import { limits, type ProblemCode } from '#model';
import { serviceVersion } from '#telemetry';
import { citationDocs } from './openapi/citation-docs.ts';
import { deletionDocs } from './openapi/deletion-docs.ts';
import { experimentDocs } from './openapi/experiment-docs.ts';
import { examples } from './openapi/examples.ts';
import { logDocs } from './openapi/log-docs.ts';
import { mcpDocs } from './openapi/mcp-docs.ts';
import { memberDocs } from './openapi/member-docs.ts';
import { pointDocs } from './openapi/point-docs.ts';
import { progressDocs } from './openapi/progress-docs.ts';
import type { ResponseDoc, RouteDoc } from './openapi/route-doc.ts';
import { serviceAccountDocs } from './openapi/service-account-docs.ts';
import { serviceDocs } from './openapi/service-docs.ts';
import { signInDocs } from './openapi/sign-in-docs.ts';
import { exportDocs } from './openapi/export-docs.ts';
import { reportDocs } from './openapi/report-docs.ts';
import { savedViewDocs } from './openapi/saved-view-docs.ts';
import { shareDocs } from './openapi/share-docs.ts';
import { tokenDocs } from './openapi/token-docs.ts';
import { usageDocs } from './openapi/usage-docs.ts';
import { uploadDocs } from './openapi/upload-docs.ts';

/** Every route of the service. A test compares it with the live routes, in both directions. */
export const routeDocs: readonly RouteDoc[] = [
  ...experimentDocs,
  ...pointDocs,
  ...progressDocs,
  ...uploadDocs,
  ...deletionDocs,
  ...tokenDocs,
  ...memberDocs,
  ...serviceAccountDocs,
  ...signInDocs,
  ...usageDocs,
  ...shareDocs,
  ...citationDocs,
  ...exportDocs,
  ...logDocs,
  ...mcpDocs,
  ...savedViewDocs,
  ...reportDocs,
  ...serviceDocs,
];

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of the service at `url`, generated from the schemas that validate
 * requests.
 */
export function openApiDocument(url: string): Json {
  const paths: Record<string, Json> = {};
  for (const doc of routeDocs) (paths[templateOf(doc.path)] ??= {})[doc.method.toLowerCase()] = operationOf(doc);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plotline',
      version: serviceVersion(),
      description:
        'Training logs, stored and read back exactly. Float columns are JSON numbers in the shortest form that round-trips, or the strings NaN, Infinity, -Infinity; whole numbers beyond 2^53 are strings. Problems are application/problem+json (RFC 9457) with a stable `code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ token: [] }, { session: [] }, { share: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token (plt_…), or a JWT created from one' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'plotline_session',
          description:
            'A signed-in browser. If the public URL begins with https, the name begins with `__Host-`. Requests that change data must come from pages of this service (Sec-Fetch-Site or Origin); forms also send a csrf_token.',
        },
        share: {
          type: 'apiKey',
          in: 'header',
          name: 'Plotline-Share',
          description: 'The secret of a link. It can read what the link shows.',
        },
      },
      schemas: { Problem: schemaOf(problemJson, 'output') },
    },
  };
}

const problemJson = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string().meta({ description: 'Stable; use it in programs.' }),
  detail: z.string().meta({ description: 'Explanation for the caller.' }),
  request_id: z.string(),
});

function operationOf(doc: RouteDoc): Json {
  const body = doc.body && {
    required: !doc.body.optional && doc.body.schema?.safeParse({}).success !== true,
    content: {
      [doc.body.mediaType ?? 'application/json']: {
        schema: doc.body.schema ? schemaOf(doc.body.schema, 'input') : { type: 'string', format: 'binary' },
        ...(doc.body.example === undefined ? {} : { example: doc.body.example }),
      },
    },
  };
  return {
    operationId: operationId(doc),
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.about && { description: doc.about }),
    ...(doc.deprecated && { deprecated: true }),
    ...(doc.public && { security: [] }),
    parameters: [...pathParameters(doc.path), ...queryParameters(doc.query), ...headerParameters(doc)],
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(doc.responses.map((response) => [response.status, responseOf(response)])),
      ...problemResponses(doc),
    },
  };
}

/**
 * `get_experiments_experimentId_runs`, `get_page_usage`: unique, and suitable as names in generated
 * clients.
 */
function operationId({ method, path, tag }: RouteDoc): string {
  const words = path.replace('/api/v1', '').match(/[A-Za-z0-9]+/g) ?? ['index'];
  return [method.toLowerCase(), ...(tag === 'pages' ? ['page'] : []), ...words].join('_');
}

function templateOf(path: string): string {
  return path.replace(/[:*]([A-Za-z]+)/g, '{$1}');
}

const pathExamples: Readonly<Record<string, string>> = {
  experimentId: examples.id,
  fileId: '17',
  key: 'WzEsInBLM3YiXQ',
  secret: '4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE',
  file: 'main-DXf2gk1q.js',
  picture: 'val/acc.svg',
};

function pathParameters(path: string): Json[] {
  return Array.from(path.matchAll(/([:*])([A-Za-z]+)/g), ([, kind, name]) => ({
    name,
    in: 'path',
    required: true,
    // A `*` is the name of a run or a tag, with its slashes.
    schema: { type: 'string', minLength: 1, maxLength: kind === '*' ? limits.maxRunNameBytes : 1_000 },
    example: pathExamples[name!],
  }));
}

function queryParameters(query: z.ZodObject | undefined): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: schemaOf(schema as z.ZodType, 'input'),
  }));
}

function headerParameters(doc: RouteDoc): Json[] {
  const headers = Object.entries(doc.headers ?? {});
  if (doc.idempotent)
    headers.push([
      'Idempotency-Key',
      {
        about: 'A request with the same key within 24 hours returns the same response, with `Idempotency-Replayed: true`.',
        pattern: '^[!-~]{1,255}$',
        maxLength: 255,
      },
    ]);
  return headers.map(([name, { about, required = false, pattern, maxLength }]) => ({
    name,
    in: 'header',
    required,
    description: about,
    schema: { type: 'string', maxLength, ...(pattern === undefined ? {} : { pattern }) },
  }));
}

function responseOf(response: ResponseDoc): Json {
  return {
    description: response.about,
    ...(response.headers && {
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
    }),
    ...(response.content && {
      content: Object.fromEntries(
        Object.entries(response.content).map(([type, schema], index) => [
          type,
          {
            schema: schema ? schemaOf(schema, 'output') : { type: 'string' },
            ...(index === 0 && response.example !== undefined ? { example: response.example } : {}),
          },
        ]),
      ),
    }),
  };
}

/** The problems that the guard may return for any request. */
const guarded: readonly ProblemCode[] = ['unauthenticated', 'forbidden', 'rate-limited', 'workspace-suspended', 'store-unavailable'];

/** The problems that any route may return, such as for a malformed URL or query. */
const everywhere: readonly ProblemCode[] = ['bad-request', 'unknown-field', 'not-found', 'internal'];

/** The problems of a body that are found before the handler runs. */
const ofBodies: readonly ProblemCode[] = [
  'unsupported-media-type',
  'unsupported-encoding',
  'body-too-large',
  'body-timeout',
  'body-incomplete',
];

/** The problems of public routes, which have a rate limit per client address. */
const counted: readonly ProblemCode[] = ['rate-limited'];

/** One response per status, with an example per code. */
function problemResponses(doc: RouteDoc): Json {
  const codes = new Set<ProblemCode>([
    ...doc.problems,
    ...(doc.public ? (doc.uncounted ? [] : counted) : guarded),
    ...(doc.body ? ofBodies : []),
    ...everywhere,
  ]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) byStatus.set(httpProblems[code].status, [...(byStatus.get(httpProblems[code].status) ?? []), code]);
  const responses: [string, Json][] = [...byStatus].map(([status, own]) => [
    String(status),
    {
      description: own.map((code) => `\`${code}\`: ${httpProblems[code].title}.`).join(' '),
      content: {
        // OAuth clients expect plain JSON; a page route returns its problems as a page.
        [doc.oauth ? 'application/json' : 'application/problem+json']: {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(own.map((code) => [code, { value: problemExample(code) }])),
        },
        ...(doc.tag === 'pages' && { 'text/html': { schema: { type: 'string' } } }),
      },
    },
  ]);
  responses.push(['431', { description: 'The address and the headers are larger than 32 KiB. The response has no body.' }]);
  return Object.fromEntries(responses.filter(([status]) => !doc.responses.some((response) => String(response.status) === status)));
}

function problemExample(code: ProblemCode): Json {
  const { status, title } = httpProblems[code];
  return { type: problemType(code), title, status, code, detail: 'What happened, and what to do.', request_id: 'Zk3vT9qLmX2bN8cR' };
}

/**
 * Converts a schema to JSON Schema 2020-12, which OpenAPI 3.1 uses. `input`: what clients may send,
 * before it is transformed.
 */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // The format implies the bound: numbers in this document are float64, which cannot represent
      // 2^63 - 1.
      if (jsonSchema.format !== 'int64') return;
      delete jsonSchema.minimum;
      delete jsonSchema.maximum;
    },
  });
  return rest;
}
