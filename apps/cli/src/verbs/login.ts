import type { Interface } from 'node:readline';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { Api } from '../http/api.ts';
import { HttpClient } from '../http/http-client.ts';
import { asObject, shown } from '../http/json.ts';
import { Retry } from '../http/retry.ts';
import { Throttle } from '../http/throttle.ts';
import { findCredentials, forgetLogin, parseOrigin, storedToken, storeLogin } from '../local/credentials.ts';
import type { Report } from '../report.ts';
import { cliVersion } from '../version.ts';
import { askPerson } from './device-login.ts';

/** Flags of `plotline login`. */
export interface LoginFlags {
  readonly server?: string;
  readonly token?: boolean;
}

/**
 * `plotline login`: a person approves the CLI in any browser; with `--token`, reads a token from
 * stdin, a prompt or PLOTLINE_TOKEN (never from the command line, which other users can see). Tests
 * the token and stores it for that server.
 */
export async function login(flags: LoginFlags, host: Host, report: Report): Promise<number> {
  const origin = originOf(flags, host);
  const token = flags.token
    ? await readToken(host, report, origin)
    : await withApi(origin, null, host, (api) => askPerson(api, host, report));
  const about = await withApi(origin, token, host, (api) => api.get('/whoami', 'Checking the token'));
  const path = storeLogin(host, origin, token);
  report.document({ server: origin, stored_in: path, person: about['person'] ?? null, workspace: about['workspace'] ?? null });
  const name = (field: string): string => shown(asObject(about[field] ?? {}, field)['name']);
  report.result(
    `Signed in to ${origin} as ${name('person')}, workspace ${name('workspace')}. The token is stored in ${path} and sent to no other server.`,
  );
  if (host.env['PLOTLINE_TOKEN']) report.say('PLOTLINE_TOKEN is set and takes precedence over the stored token.');
  return exitCodes.done;
}

/** `plotline logout`: revokes the stored token of a server, and removes it. */
export async function logout(flags: LoginFlags, host: Host, report: Report): Promise<number> {
  const origin = originOf(flags, host);
  const token = storedToken(host, origin);
  if (token === null) {
    report.document({ server: origin, forgotten: false, revoked: false });
    report.result(`There is no stored token for ${origin}.`);
    return exitCodes.done;
  }
  let fault: Error | null = null;
  try {
    await withApi(origin, null, host, (api) => api.send('POST', '/revoke', 'Revoking the token', { token }));
  } catch (error) {
    fault = error as Error;
  }
  // The token is removed even if it cannot be revoked, because the user is leaving this machine.
  forgetLogin(host, origin);
  report.document({ server: origin, forgotten: true, revoked: fault === null });
  if (fault) {
    report.say(
      `Removed the token for ${origin}, but could not revoke it: ${fault.message}. It remains valid until someone revokes it there or it expires.`,
    );
    return exitCodes.failed;
  }
  report.result(`Signed out of ${origin}: the token is revoked and removed.`);
  return exitCodes.done;
}

function originOf(flags: LoginFlags, host: Host): string {
  return flags.server === undefined ? findCredentials(host).origin : parseOrigin(flags.server);
}

async function withApi<T>(origin: string, token: string | null, host: Host, work: (api: Api) => Promise<T>): Promise<T> {
  const http = new HttpClient({ origin, token, userAgent: `plotline-cli/${cliVersion()}`, connections: 1, env: host.env });
  try {
    return await work(new Api(http, new Retry({ giveUpAfterMs: 5000 }), new Throttle({ atOnce: 1 })));
  } finally {
    http.close();
  }
}

async function readToken(host: Host, report: Report, origin: string): Promise<string> {
  let text = '';
  if (host.stdin.isTTY) {
    text = await askHidden(host, report, `Token for ${origin}: `);
  } else {
    for await (const chunk of host.stdin) text += String(chunk);
  }
  const token = text.trim() || (host.env['PLOTLINE_TOKEN'] ?? '').trim();
  if (token === '')
    throw new CliError(exitCodes.usage, 'No token given. Pipe it in (`plotline login --token < file`), type it, or set PLOTLINE_TOKEN.', {
      code: 'usage',
    });
  // The token must be valid in a header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CliError(exitCodes.usage, 'That is not a token: it contains spaces or invalid characters.', { code: 'usage' });
  return token;
}

/** Reads from the terminal without echo. */
async function askHidden(host: Host, report: Report, question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  report.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines: Interface = createInterface({ input: host.stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new CliError(exitCodes.interrupted, 'Stopped.', { code: 'interrupted' })));
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    report.stderr.write('\n');
  }
}
