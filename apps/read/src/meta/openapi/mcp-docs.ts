import { z } from 'zod';
import type { RouteDoc } from './route-doc.ts';

const about = `The Model Context Protocol over streamable HTTP, stateless: one JSON-RPC message per request, no session, no stream. The tools are read-only and see what the credentials can see. Credentials are an access token, or the secret of a link in Plotline-Share. docs/agents.md describes them.`;

export const mcpDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/mcp',
    tag: 'service',
    summary: 'Tools for AI agents (MCP)',
    about,
    headers: {
      'MCP-Protocol-Version': { about: 'The version that the client negotiated.', maxLength: 100 },
    },
    body: { schema: null, mediaType: 'application/json', example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    responses: [
      {
        status: 200,
        about: 'The response to the message.',
        content: { 'application/json': z.looseObject({ jsonrpc: z.literal('2.0') }) },
        example: { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      },
      { status: 202, about: 'A notification was received.' },
    ],
    problems: ['bad-request', 'forbidden', 'unsupported-media-type', 'body-too-large'],
  },
];
