import { describe, expect, it } from 'vitest';
import { ConfigFault, concerns, loadConfig, type Need } from './load-config.ts';

const faultsOf = (env: Record<string, string>, needs: readonly Need[] = []): readonly string[] => {
  try {
    loadConfig(env, needs);
  } catch (error) {
    if (error instanceof ConfigFault) return error.faults;
    throw error;
  }
  return [];
};

describe('loadConfig', () => {
  it('has a default for all that an embedded service needs', () => {
    const config = loadConfig({ HOME: '/home/ada', PATH: '/bin' });
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 6100,
      stopGraceSeconds: 0,
      publicUrl: undefined,
      trustedProxies: [],
      publicRequestsPerMinute: 600,
      auditAddresses: 'network',
    });
    expect(config.storage.dataDir).toBe('.plotline');
    expect(config.telemetry).toMatchObject({ logLevel: 'info', logFormat: 'auto' });
  });

  it('reads the environment, and treats an empty variable as unset', () => {
    const config = loadConfig({ PLOTLINE_PORT: '0', PLOTLINE_HOST: '', PLOTLINE_SERVER: 'https://plots.example.org/' });
    expect(config.server).toMatchObject({ port: 0, host: '127.0.0.1' });
    expect(config.client.server).toBe('https://plots.example.org');
  });

  it('reports all errors together and repeats no value, since it may be a secret', () => {
    const faults = faultsOf({
      PLOTLINE_PORT: '65536',
      PLOTLINE_DATABASE_URL: 'hunter2',
      PLOTLINE_LOG_LEVEL: 'loud',
      PLOTLINE_COLOUR: 'red',
    });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'PLOTLINE_PORT',
      'PLOTLINE_DATABASE_URL',
      'PLOTLINE_LOG_LEVEL',
      'PLOTLINE_COLOUR',
    ]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('reports missing settings with all other errors, and dependent settings only where they apply', () => {
    const needs: Need[] = [
      'PLOTLINE_REDIS_URL',
      'PLOTLINE_APP_DATABASE_URL',
      'PLOTLINE_SWEEPER_DATABASE_URL',
      { name: 'PLOTLINE_S3_ACCESS_KEY_ID', where: 'PLOTLINE_S3_ENDPOINT' },
    ];
    const env = { PLOTLINE_PORT: 'http', PLOTLINE_REDIS_URL: '', PLOTLINE_APP_DATABASE_URL: 'hunter2' };
    const namesOf = (faults: readonly string[]) => faults.map((fault) => fault.split(':')[0]);
    const lacking = ['PLOTLINE_REDIS_URL', 'PLOTLINE_SWEEPER_DATABASE_URL'];
    // An invalid setting is not also reported as missing.
    expect(namesOf(faultsOf(env, needs))).toEqual(['PLOTLINE_PORT', 'PLOTLINE_APP_DATABASE_URL', ...lacking]);
    expect(namesOf(faultsOf({ ...env, PLOTLINE_S3_ENDPOINT: 'https://s3.example.org' }, needs)).at(-1)).toBe('PLOTLINE_S3_ACCESS_KEY_ID');
    expect(faultsOf({})).toEqual([]);
  });

  it.each(['-1', '6100.5', ' 6100', '1e3', '0x10', 'http'])('rejects %j as a port', (port) => {
    expect(faultsOf({ PLOTLINE_PORT: port })).toHaveLength(1);
  });

  it('suggests the setting for a misspelled name', () => {
    expect(faultsOf({ PLOTLINE_PROT: '80' })).toEqual([expect.stringContaining('did you mean PLOTLINE_PORT?')]);
    expect(faultsOf({ PLOTLINE_FAVOURITE_COLOUR: 'red' })).toEqual([expect.stringContaining('docs/configuration.md')]);
  });

  it('accepts what Kubernetes injects for services called plotline and plotline-read', () => {
    const env = {
      PLOTLINE_SERVICE_HOST: '10.0.0.1',
      PLOTLINE_SERVICE_PORT_HTTP: '80',
      PLOTLINE_PORT: 'tcp://10.0.0.1:80',
      PLOTLINE_PORT_80_TCP: 'tcp://10.0.0.1:80',
      PLOTLINE_PORT_80_TCP_PROTO: 'tcp',
      PLOTLINE_PORT_80_TCP_ADDR: '10.0.0.1',
      PLOTLINE_READ_SERVICE_HOST: '10.0.0.2',
      PLOTLINE_READ_PORT: 'tcp://10.0.0.2:80',
      PLOTLINE_READ_PORT_80_TCP_PORT: '80',
    };
    expect(loadConfig(env).server.port).toBe(6100);
  });

  it('declares each name once, with the prefix and a sentence', () => {
    const keys = Object.values(concerns).flatMap((concern) => Object.values(concern));
    expect(new Set(keys.map(({ name }) => name)).size).toBe(keys.length);
    for (const { name, about } of keys) {
      expect(name).toMatch(/^PLOTLINE_[A-Z0-9_]+$/);
      expect(about).toMatch(/\.$/);
    }
  });
});
