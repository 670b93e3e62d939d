import { ServerCredentials } from '@grpc/grpc-js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '#config';
import { GrpcSettings } from './grpc-settings.ts';
import { credentialsOf } from './tls.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-tls-'));
});
afterAll(() => rm(folder, { recursive: true }));

const settings = (env: Record<string, string>): GrpcSettings => {
  const { grpc, server } = loadConfig(env);
  return new GrpcSettings(grpc, server);
};

it('serves plain text only on loopback or behind a declared proxy', async () => {
  for (const host of ['127.0.0.1', '::1', 'localhost', '127.8.8.8'])
    await expect(credentialsOf(settings({ PLOTLINE_GRPC_HOST: host }))).resolves.toBeInstanceOf(ServerCredentials);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'plots.example', '127.0.0.1.example'])
    await expect(credentialsOf(settings({ PLOTLINE_GRPC_HOST: host }))).rejects.toThrow(/PLOTLINE_GRPC_TLS_CERT_FILE/);
  const proxied = settings({ PLOTLINE_GRPC_HOST: '0.0.0.0', PLOTLINE_TRUSTED_PROXIES: '10.0.0.1' });
  await expect(credentialsOf(proxied)).resolves.toBeInstanceOf(ServerCredentials);
});

it('does not fall back to plain text if TLS is configured and fails', async () => {
  expect(() => settings({ PLOTLINE_GRPC_TLS_CERT_FILE: '/cert.pem' })).toThrow(/belong together/);
  expect(() => settings({ PLOTLINE_GRPC_TLS_KEY_FILE: '/key.pem' })).toThrow(/belong together/);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, 'no certificate');
  const files = { PLOTLINE_GRPC_TLS_CERT_FILE: cert, PLOTLINE_GRPC_TLS_KEY_FILE: key };
  await expect(credentialsOf(settings(files))).rejects.toThrow(/PLOTLINE_GRPC_TLS_KEY_FILE: the file cannot be read/);
  await writeFile(key, 'no key');
  await expect(credentialsOf(settings(files))).rejects.toThrow(/not a certificate and its key/);
});
