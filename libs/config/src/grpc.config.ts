import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** Where the protocols of TensorBoard's own clients are spoken. */
export const grpcConcern = {
  host: key({
    name: 'PLOTLINE_GRPC_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about:
      'The address that gRPC listens on. One that other machines reach needs TLS, or PLOTLINE_TRUSTED_PROXIES: then only those proxies are answered.',
  }),
  port: key({
    name: 'PLOTLINE_GRPC_PORT',
    schema: z.union([z.literal('off'), wholeNumber(0, 65_535)]).default(0),
    type: 'whole number or `off`',
    default: '0',
    about:
      'The port of gRPC; 0 for any free one, which clients are told over HTTP, and which `npm start` keeps for the next time; `off`: TensorBoard’s own clients are not served.',
  }),
  publicTarget: key({
    name: 'PLOTLINE_GRPC_PUBLIC_TARGET',
    schema: z
      .string()
      .regex(/^(dns:\/\/\/)?[A-Za-z0-9.[\]:_-]+:[0-9]{1,5}$/, 'must be a target like dns:///plots.example:443')
      .transform((text) => (text.startsWith('dns:') ? text : `dns:///${text}`))
      .optional(),
    type: 'gRPC target',
    about: 'Where clients are told to call gRPC, e.g. `dns:///plots.example:443`; without it, host and port.',
  }),
  tlsCertFile: key({
    name: 'PLOTLINE_GRPC_TLS_CERT_FILE',
    schema: z.string().optional(),
    type: 'file',
    about: 'The certificates (PEM) that gRPC is served with; with PLOTLINE_GRPC_TLS_KEY_FILE.',
  }),
  tlsKeyFile: key({
    name: 'PLOTLINE_GRPC_TLS_KEY_FILE',
    schema: z.string().optional(),
    type: 'file',
    about: 'The private key (PEM) of PLOTLINE_GRPC_TLS_CERT_FILE.',
  }),
};
