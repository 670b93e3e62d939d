import type { Interface } from 'node:readline';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { Api } from '../http/api.ts';
import { HttpClient } from '../http/http-client.ts';
import { Retry } from '../http/retry.ts';
import { Throttle } from '../http/throttle.ts';
import { findCredentials, forgetLogin, parseOrigin, storeLogin } from '../local/credentials.ts';
import type { Report } from '../report.ts';
import { cliVersion } from '../version.ts';

/** Flags of `plotline login`. */
export interface LoginFlags {
  readonly server?: string;
  readonly token?: boolean;
}

/** `plotline login`: takes a token from stdin, a prompt or PLOTLINE_TOKEN (never from the command line, which others can see), tries it, and keeps it. */
export async function login(flags: LoginFlags, host: Host, report: Report): Promise<number> {
  const origin = flags.server === undefined ? findCredentials(host).origin : parseOrigin(flags.server);
  const token = await readToken(host, report, origin);
  const http = new HttpClient({ origin, token, userAgent: `plotline-cli/${cliVersion()}`, connections: 1, env: host.env });
  try {
    await new Api(http, new Retry({ giveUpAfterMs: 5000 }), new Throttle({ atOnce: 1 })).get('/whoami', 'Trying the token');
  } finally {
    http.close();
  }
  const path = storeLogin(host, origin, token);
  report.document({ server: origin, stored_in: path });
  report.result(`Signed in to ${origin}. The token is kept in ${path} and goes to no other server.`);
  return exitCodes.done;
}

/** `plotline logout`: forgets the stored token of a server. */
export async function logout(flags: LoginFlags, host: Host, report: Report): Promise<number> {
  const origin = flags.server === undefined ? findCredentials(host).origin : parseOrigin(flags.server);
  const forgotten = forgetLogin(host, origin);
  report.document({ server: origin, forgotten });
  report.result(
    forgotten ? `Forgot the token for ${origin}. It stays valid until it is revoked or expires.` : `No token for ${origin} was stored.`,
  );
  return exitCodes.done;
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
    throw new CliError(exitCodes.usage, 'No token came: pipe it in (`plotline login --token < file`), type it, or set PLOTLINE_TOKEN.', {
      code: 'usage',
    });
  // It goes into a header line.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CliError(exitCodes.usage, 'That is not a token: it has spaces or characters that no token has.', { code: 'usage' });
  return token;
}

/** Asks on the terminal without showing what is typed. */
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
