import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeCredentials } from '#service';
import { CliError } from '../exit.ts';
import type { Host } from '../host.ts';
import { TestHost } from '../testing/test-host.ts';
import { findCredentials, forgetLogin, parseOrigin, requireCredentials, storeLogin } from './credentials.ts';

let test: TestHost;
beforeEach(() => (test = new TestHost()));
afterEach(() => test.remove());

const host = (): Host => ({ env: test.env, cwd: test.folder }) as unknown as Host;
/** A file in the working folder, as a repository or an archive may contain it. */
const planted = (server: string, token: string, mode = 0o600): string => {
  const path = test.write('.plotline/credentials.json', JSON.stringify({ server, token }));
  chmodSync(path, mode);
  return path;
};
/** The same file, written by a service of this user. */
const written = async (server: string, token: string): Promise<void> => {
  mkdirSync(join(test.folder, '.plotline'), { recursive: true });
  vi.stubEnv('XDG_STATE_HOME', test.env['XDG_STATE_HOME']);
  await writeCredentials(join(test.folder, '.plotline'), { server, token });
  vi.unstubAllEnvs();
};

describe('credentials', () => {
  it('come from PLOTLINE_SERVER, then a login, then the service in the working folder', async () => {
    await written('http://127.0.0.1:6100', 'local-token');
    expect(findCredentials(host())).toMatchObject({ origin: 'http://127.0.0.1:6100', token: 'local-token' });
    storeLogin(host(), 'https://login.example', 'login-token');
    expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'login-token' });
    test.env['PLOTLINE_SERVER'] = 'http://127.0.0.1:6100/';
    expect(findCredentials(host())).toMatchObject({ origin: 'http://127.0.0.1:6100', token: 'local-token' });
    test.env['PLOTLINE_TOKEN'] = 'env-token';
    expect(findCredentials(host())).toMatchObject({ origin: 'http://127.0.0.1:6100', token: 'env-token' });
    test.env['PLOTLINE_SERVER'] = '';
    expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'env-token' });
  });

  it('of the working folder never use PLOTLINE_TOKEN', async () => {
    test.env['PLOTLINE_TOKEN'] = 'env-token';
    planted('https://evil.example', 'x');
    expect(() => findCredentials(host())).toThrow(expect.objectContaining({ exitCode: 3 }));
    await written('http://127.0.0.1:6100', 'local-token');
    expect(() => findCredentials(host())).toThrow(/PLOTLINE_TOKEN is set without PLOTLINE_SERVER/);
  });

  it('of the working folder count only if a service of the same user wrote them', async () => {
    const none = (why: RegExp): void =>
      expect(() => findCredentials(host())).toThrow(
        expect.objectContaining({ exitCode: 3, message: expect.stringMatching(why) as string }),
      );
    const path = planted('https://evil.example', 'x');
    none(/was ignored: none of your services wrote it/);
    test.env['PLOTLINE_SERVER'] = 'https://evil.example';
    expect(findCredentials(host()).token).toBeNull();
    expect(() => requireCredentials(host())).toThrow(/was ignored/);
    delete test.env['PLOTLINE_SERVER'];

    await written('http://127.0.0.1:6100', 'local-token');
    const genuine = readFileSync(path);
    chmodSync(path, 0o640);
    none(/its mode is 640/);
    chmodSync(path, 0o600);
    expect(findCredentials(host()).token).toBe('local-token');
    // A file unpacked over the file that the service wrote.
    planted('https://evil.example', 'x');
    none(/none of your services/);
    writeFileSync(path, genuine);
    expect(findCredentials(host()).token).toBe('local-token');
    // The service's own file, moved to another folder.
    test.write('elsewhere/.plotline/credentials.json', genuine);
    chmodSync(join(test.folder, 'elsewhere/.plotline/credentials.json'), 0o600);
    expect(() => findCredentials({ ...host(), cwd: join(test.folder, 'elsewhere') })).toThrow(/none of your services/);
    // A relative folder is also part of the working folder.
    test.env['PLOTLINE_DATA_DIR'] = 'elsewhere/.plotline';
    none(/none of your services/);
  });

  it('are rejected if they are not a file, or belong to another user', () => {
    mkdirSync(join(test.folder, '.plotline/credentials.json'), { recursive: true });
    expect(() => findCredentials(host())).toThrow(/it is not a regular file/);
    rmSync(join(test.folder, '.plotline'), { recursive: true });
    const path = planted('https://evil.example', 'x');
    if (process.getuid?.() !== 0) return;
    chownSync(path, 65_534, 65_534);
    expect(() => findCredentials(host())).toThrow(/it belongs to another user/);
  });

  it('ignore an unusable file in the working folder', () => {
    storeLogin(host(), 'https://login.example', 'login-token');
    for (const server of ['', 'no address', 'ftp://x', 'https://login.example']) {
      planted(server, 'x', 0o644);
      expect(findCredentials(host())).toMatchObject({ origin: 'https://login.example', token: 'login-token' });
    }
  });

  it('send a stored token only to the origin that it was stored with', async () => {
    storeLogin(host(), 'https://a.example', 'a-token');
    await written('http://127.0.0.1:6100', 'local-token');
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

  it('are read from the folder in PLOTLINE_DATA_DIR, before a login', () => {
    storeLogin(host(), 'https://login.example', 'login-token');
    const path = test.write('data/credentials.json', JSON.stringify({ server: 'http://127.0.0.1:1', token: 't' }));
    test.env['PLOTLINE_DATA_DIR'] = join(test.folder, 'data');
    chmodSync(path, 0o644);
    expect(findCredentials(host()).token).toBe('login-token');
    chmodSync(path, 0o600);
    expect(findCredentials(host()).token).toBe('t');
  });

  it('are stored by origin, in a file that only its owner can read', () => {
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

  it('are ignored if they are truncated at any byte', () => {
    const path = storeLogin(host(), 'https://a.example', 'a');
    const whole = readFileSync(path, 'utf8');
    for (let length = 0; length < whole.length - 2; length++) {
      test.write(join('config/plotline/credentials.json'), whole.slice(0, length));
      expect(() => findCredentials(host())).toThrow(CliError);
    }
  });

  it('exit 3 if there are none', () => {
    expect(() => requireCredentials(host())).toThrow(expect.objectContaining({ exitCode: 3 }));
    test.env['PLOTLINE_SERVER'] = 'https://a.example';
    expect(() => requireCredentials(host())).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  it('reject server addresses that contain more than an origin', () => {
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
  it('does not accept a token as an argument', async () => {
    const { exitCode, stderr } = await test.run(['login', '--server', 'https://a.example', '--token', 'secret']);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('secret');
  });
});
