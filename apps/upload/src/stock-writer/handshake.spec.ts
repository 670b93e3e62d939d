import { expect, it } from 'vitest';
import { verdictOn } from './client-version.ts';
import { handshakeResponse, uploadedPlugins } from './handshake.ts';

const places = { target: { endpoint: 'dns:///127.0.0.1:4711' }, pageOf: (id: string) => `https://plots.example/e/${id}` };
const ask = (uploadPlugins: string[], version = '2.15.0') => handshakeResponse({ version, pluginSpecification: { uploadPlugins } }, places);

it('returns the requested plugins that it accepts, and all if none was requested', () => {
  expect(ask([]).pluginControl).toEqual({ allowedPlugins: uploadedPlugins });
  expect(ask(['scalars', 'text'])).toMatchObject({ compatibility: { verdict: 1 }, pluginControl: { allowedPlugins: ['scalars', 'text'] } });
  expect(ask(['scalars', 'own'])).toMatchObject({ compatibility: { verdict: 2 }, pluginControl: { allowedPlugins: ['scalars'] } });
  expect(ask(['own']).compatibility).toMatchObject({ verdict: 3, details: expect.stringContaining('"own"') as string });
});

it('returns the address, the format of page URLs, and no need to throttle', () => {
  expect(ask([])).toMatchObject({
    apiServer: { endpoint: 'dns:///127.0.0.1:4711' },
    urlFormat: { template: 'https://plots.example/e/{{EID}}', idPlaceholder: '{{EID}}' },
    uploadLimits: { minScalarRequestInterval: 1, minTensorRequestInterval: 1, minBlobRequestInterval: 1 },
  });
});

it.each([
  ['off', /PLOTLINE_GRPC_PORT is off/],
  ['elsewhere', /from other machines/],
] as const)('explains why it cannot serve a client, and returns no address: %s', (target, words) => {
  const { compatibility, apiServer } = handshakeResponse({ version: '2.15.0', pluginSpecification: null }, { ...places, target });
  expect(compatibility).toEqual({ verdict: 3, details: expect.stringMatching(words) as string });
  expect(apiServer).toBeUndefined();
});

it.each([
  ['2.15.0', 1],
  ['2.14.0', 1],
  ['2.5.0', 1],
  ['2.4.1', 2],
  ['2.15.2', 1],
  ['2.16.0', 2],
  ['2.16.0a20231024', 2],
  ['1.15.0', 3],
  ['', 2],
  ['latest', 2],
])('gives TensorBoard %s the verdict %i', (version, verdict) => {
  expect(verdictOn(version).verdict).toBe(verdict);
});
