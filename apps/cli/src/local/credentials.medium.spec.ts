import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../exit.ts';
import type { Host } from '../host.ts';
import { TestHost } from '../testing/test-host.ts';
import { findCredentials, forgetLogin, parseOrigin, requireCredentials, storeLogin } from './credentials.ts';

let test: TestHost;
beforeEach(() => (test = new TestHost()));
afterEach(() => test.remove());

const host = (): Host => ({ env: test.env, cwd: test.folder }) as unknown as Host;
const local = (server: string, token: string) => test.write('.plotline/credentials.json', JSON.stringify({ server, token }));

describe('credentials', () => {
  it('come from the environment before the data folder before the login', () => {
    storeLogin(host(), 'https://login.example', 'login-token');
    expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'login-token' });
    local('http://127.0.0.1:6100', 'local-token');
    expect(findCredentials(host())).toMatchObject({ origin: 'http://127.0.0.1:6100', token: 'local-token' });
    test.env['PLOTLINE_SERVER'] = 'https://login.example/';
    expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'login-token' });
    test.env['PLOTLINE_TOKEN'] = 'env-token';
    expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'env-token' });
  });

  it('send a stored token only to the origin that it was stored with', () => {
    storeLogin(host(), 'https://a.example', 'a-token');
    local('http://127.0.0.1:6100', 'local-token');
    for (const server of [
      'https://b.example',
      'http://a.example',
      'https://a.example:8443',
      'http://127.0.0.1:6101',
      'http://localhost:6100',
    ]) {
      test.env['PLOTLINE_SERVER'] = server;
      expect(findCredentials(host()).token).toBeNull();
    }
  });

  it('are looked up in PLOTLINE_DATA_DIR, counted from where the person stands', () => {
    test.write('data/credentials.json', JSON.stringify({ server: 'http://127.0.0.1:1', token: 't' }));
    test.env['PLOTLINE_DATA_DIR'] = 'data';
    expect(findCredentials(host()).token).toBe('t');
  });

  it('are kept for each origin, in a file that nobody else may read', () => {
    const path = storeLogin(host(), 'https://a.example', 'a');
    storeLogin(host(), 'https://b.example', 'b');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      server: 'https://b.example',
      tokens: { 'https://a.example': 'a', 'https://b.example': 'b' },
    });
    expect(forgetLogin(host(), 'https://b.example')).toBe(true);
    expect(forgetLogin(host(), 'https://b.example')).toBe(false);
    test.env['PLOTLINE_SERVER'] = 'https://a.example';
    expect(findCredentials(host()).token).toBe('a');
  });

  it('that are cut at any byte are none, and stop nothing', () => {
    const path = storeLogin(host(), 'https://a.example', 'a');
    const whole = readFileSync(path, 'utf8');
    for (let length = 0; length < whole.length - 2; length++) {
      test.write(join('config/plotline/credentials.json'), whole.slice(0, length));
      expect(() => findCredentials(host())).toThrow(CliError);
    }
  });

  it('exit 3 when there are none', () => {
    expect(() => requireCredentials(host())).toThrow(expect.objectContaining({ exitCode: 3 }));
    test.env['PLOTLINE_SERVER'] = 'https://a.example';
    expect(() => requireCredentials(host())).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  it('refuse server addresses that hold more than an origin', () => {
    expect(parseOrigin('HTTPS://A.example:443/')).toBe('https://a.example');
    for (const server of [
      'a.example',
      'ftp://a.example',
      'https://user:secret@a.example',
      'https://a.example/api',
      'https://a.example/?x',
    ]) {
      expect(() => parseOrigin(server)).toThrow(expect.objectContaining({ exitCode: 2 }));
    }
  });
});

describe('plotline login', () => {
  it('takes no token from the command line', async () => {
    const { exitCode, stderr } = await test.run(['login', '--server', 'https://a.example', '--token', 'secret']);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('secret');
  });
});
