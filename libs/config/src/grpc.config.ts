import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** The gRPC endpoint for TensorBoard's own clients. */
export const grpcConcern = {
  host: key({
    name: 'PLOTLINE_GRPC_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about:
      'The address that gRPC listens on. An address that other machines can reach requires TLS, or PLOTLINE_TRUSTED_PROXIES; then only those proxies can connect.',
  }),
  port: key({
    name: 'PLOTLINE_GRPC_PORT',
    schema: z.union([z.literal('off'), wholeNumber(0, 65_535)]).default(0),
    type: 'whole number or `off`',
    default: '0',
    about:
      'The gRPC port. 0 picks a free one; clients find it over HTTP, and `npm start` reuses it. `off` disables gRPC for TensorBoard’s own clients.',
  }),
  publicTarget: key({
    name: 'PLOTLINE_GRPC_PUBLIC_TARGET',
    schema: z
      .string()
      .regex(/^(dns:\/\/\/)?[A-Za-z0-9.[\]:_-]+:[0-9]{1,5}$/, 'must be a target like dns:///plots.example:443')
      .transform((text) => (text.startsWith('dns:') ? text : `dns:///${text}`))
      .optional(),
    type: 'gRPC target',
    about: 'The gRPC target that clients use, for example `dns:///plots.example:443`. Default: host and port.',
  }),
  tlsCertFile: key({
    name: 'PLOTLINE_GRPC_TLS_CERT_FILE',
    schema: z.string().optional(),
    type: 'file',
    about: 'The certificate chain (PEM) for gRPC; requires PLOTLINE_GRPC_TLS_KEY_FILE.',
  }),
  tlsKeyFile: key({
    name: 'PLOTLINE_GRPC_TLS_KEY_FILE',
    schema: z.string().optional(),
    type: 'file',
    about: 'The private key (PEM) of PLOTLINE_GRPC_TLS_CERT_FILE.',
  }),
};
