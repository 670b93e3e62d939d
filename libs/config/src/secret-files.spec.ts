import { expect, it } from 'vitest';
import { ConfigFault, loadConfig } from './load-config.ts';
import { readSecretFiles } from './secret-files.ts';

const names = new Set(['PLOTLINE_REDIS_URL', 'PLOTLINE_SECRET_KEY']);

it('reads a secret from the file that its _FILE variable names, without the last newline', () => {
  const files: Record<string, string> = { '/run/secrets/redis': 'redis://:p@queue\n', '/run/secrets/key': 'a\n\n' };
  const env = { PLOTLINE_REDIS_URL_FILE: '/run/secrets/redis', PLOTLINE_SECRET_KEY_FILE: '/run/secrets/key' };
  const { values, faults } = readSecretFiles(env, names, (path) => files[path]!);
  expect([...values]).toEqual([
    ['PLOTLINE_REDIS_URL', 'redis://:p@queue'],
    ['PLOTLINE_SECRET_KEY', 'a\n'],
  ]);
  expect(faults).toEqual([]);
});

it('reports a secret that is set twice, an empty file and an unreadable file, without content', () => {
  const read = (path: string): string => {
    if (path === '/empty') return '\n';
    throw Object.assign(new Error('ENOENT: sensitive'), { code: 'ENOENT' });
  };
  const faults = (env: Record<string, string>): readonly string[] => readSecretFiles(env, names, read).faults;
  expect(faults({ PLOTLINE_SECRET_KEY_FILE: '/empty' })).toEqual(['PLOTLINE_SECRET_KEY_FILE: the file is empty.']);
  expect(faults({ PLOTLINE_SECRET_KEY_FILE: '/gone' })).toEqual(['PLOTLINE_SECRET_KEY_FILE: the file cannot be read (ENOENT).']);
  expect(faults({ PLOTLINE_SECRET_KEY_FILE: '/empty', PLOTLINE_SECRET_KEY: 'x' })).toEqual([
    'PLOTLINE_SECRET_KEY_FILE: PLOTLINE_SECRET_KEY is set as well; set one of them.',
  ]);
});

it('accepts _FILE for secrets only, and counts it as the setting itself', () => {
  expect(() => loadConfig({ PLOTLINE_PORT_FILE: '/x' })).toThrow(ConfigFault);
  expect(() => loadConfig({ PLOTLINE_TOKEN_FILE: '/x' })).toThrow(ConfigFault);
  const read = (): string => 'redis://queue';
  const config = loadConfig({ PLOTLINE_REDIS_URL_FILE: '/run/secrets/redis' }, ['PLOTLINE_REDIS_URL'], read);
  expect(String(config.storage.redisUrl)).toContain('queue');
});
