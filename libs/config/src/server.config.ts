import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl, networks, wholeNumber } from './values.ts';

/** Where the service listens, and how it is called from outside. */
export const serverConcern = {
  host: key({
    name: 'PLOTLINE_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about: 'The address that the service listens on; `0.0.0.0` or `::` for all of them.',
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
    about: 'The address that stands in links to experiments; without it, `http://` with host and port.',
  }),
  trustedProxies: key({
    name: 'PLOTLINE_TRUSTED_PROXIES',
    schema: networks.default([]),
    type: 'addresses',
    about:
      'Addresses or networks (`10.0.0.0/8`) of reverse proxies, separated by commas: what these say about where a request came from (`X-Forwarded-For`) and what it is called (`X-Request-Id`) is believed.',
  }),
  publicRequestsPerMinute: key({
    name: 'PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE',
    schema: wholeNumber(1, 1_000_000_000).default(600),
    type: 'whole number',
    default: '600',
    about:
      'Requests that one address (of IPv6: one /64) may send in a minute, to one process, to what takes no credentials: signing in, codes of devices, exchange of tokens, links. Behind a reverse proxy that is not trusted, all come from one address.',
  }),
  auditAddresses: key({
    name: 'PLOTLINE_AUDIT_ADDRESSES',
    schema: z.enum(['full', 'network', 'none']).default('network'),
    type: '`full`, `network` or `none`',
    default: 'network',
    about: 'How exactly the audit log says where a request came from: its address, the /24 or /48 that it is in, or nothing.',
  }),
};
