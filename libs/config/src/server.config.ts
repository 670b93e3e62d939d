import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl, networks, wholeNumber } from './values.ts';

/** Where the service listens, and its public URL. */
export const serverConcern = {
  host: key({
    name: 'PLOTLINE_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about: 'The address that the service listens on; `0.0.0.0` or `::` for all addresses.',
  }),
  port: key({
    name: 'PLOTLINE_PORT',
    schema: wholeNumber(0, 65_535).default(6100),
    type: 'whole number',
    default: '6100',
    about: 'The port that the service listens on; 0 for any free one.',
  }),
  publicUrl: key({
    name: 'PLOTLINE_PUBLIC_URL',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The base URL in links to experiments. Default: `http://` with host and port.',
  }),
  stopGraceSeconds: key({
    name: 'PLOTLINE_STOP_GRACE_SECONDS',
    schema: wholeNumber(0, 300).default(0),
    type: 'whole number',
    default: '0',
    about:
      'How long a separate process still accepts requests after a stop signal, while `/readyz` returns 503. Set it longer than proxies take to notice.',
  }),
  trustedProxies: key({
    name: 'PLOTLINE_TRUSTED_PROXIES',
    schema: networks.default([]),
    type: 'addresses',
    about:
      'Addresses or networks (`10.0.0.0/8`) of reverse proxies, separated by commas. Their `X-Forwarded-For` and `X-Request-Id` headers are trusted.',
  }),
  publicRequestsPerMinute: key({
    name: 'PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE',
    schema: wholeNumber(1, 1_000_000_000).default(600),
    type: 'whole number',
    default: '600',
    about:
      'Maximum requests per minute and process from one address (IPv6: one /64) to routes without credentials: sign-in, device codes, token exchange, links. Behind a proxy that is not trusted, all clients share one address.',
  }),
  auditAddresses: key({
    name: 'PLOTLINE_AUDIT_ADDRESSES',
    schema: z.enum(['full', 'network', 'none']).default('network'),
    type: '`full`, `network` or `none`',
    default: 'network',
    about: 'What the audit log records about a request’s origin: its address, its /24 or /48 network, or nothing.',
  }),
};
