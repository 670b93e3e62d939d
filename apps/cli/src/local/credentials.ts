import { readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { configFolder, dataFolder } from './folders.ts';
import { readLocalService } from './own-services.ts';
import { replaceFile } from './write-file.ts';

/** A server and its token. `origin` has no trailing slash. */
export interface Credentials {
  readonly origin: string;
  readonly token: string | null;
  /** Source of the token, for `whoami`. */
  readonly tokenFrom: string | null;
  /** Why a `credentials.json` in the data folder is ignored; empty if there is no such file. */
  readonly rejection: string;
}

/** Stored by `plotline login`: the default server, and one token for each origin. */
interface StoredLogins {
  server: string | null;
  tokens: Record<string, string>;
}

/**
 * Finds the server and its token. The server comes from PLOTLINE_SERVER, otherwise from the data
 * folder at the absolute path in PLOTLINE_DATA_DIR, otherwise from `plotline login`, otherwise from
 * a service that this user runs in `.plotline` in the working folder. A stored token is sent only
 * to the origin that it was stored with. PLOTLINE_TOKEN is sent only to a server that the user
 * specified, never to a server from a file in the working folder.
 */
export function findCredentials(host: Host): Credentials {
  const logins = readLogins(host);
  const named = isAbsolute(host.env['PLOTLINE_DATA_DIR'] ?? '');
  const path = localPath(host);
  const local = readLocalService(host, path, named);
  const localServer = local.kind === 'service' ? local.server : null;
  const chosen = host.env['PLOTLINE_SERVER'] || (named && localServer) || logins.server;
  const rejection = local.kind === 'refused' ? ` ${path} exists but was ignored: ${local.why}.` : '';
  const server = chosen || localServer;
  if (!server)
    throw new CliError(
      exitCodes.notSignedIn,
      `No server is configured.${rejection} Start one with \`npm start\`, set PLOTLINE_SERVER, or sign in with \`plotline login\`.`,
      { code: 'no-server' },
    );
  const given = host.env['PLOTLINE_TOKEN']?.trim();
  if (given && !chosen)
    throw new CliError(
      exitCodes.notSignedIn,
      `PLOTLINE_TOKEN is set without PLOTLINE_SERVER. The token is not sent to ${server}, because only a file in this folder specifies that server. Set PLOTLINE_SERVER too, or unset PLOTLINE_TOKEN.`,
      { code: 'no-server' },
    );
  const origin = parseOrigin(server);
  const found: [string | undefined, string][] = [
    [given, 'PLOTLINE_TOKEN'],
    [local.kind === 'service' && isOrigin(local.server, origin) ? local.token : undefined, path],
    [Object.hasOwn(logins.tokens, origin) ? logins.tokens[origin] : undefined, loginsPath(host)],
  ];
  const [token, tokenFrom] = found.find(([value]) => value) ?? [null, null];
  return { origin, token: token?.trim() || null, tokenFrom, rejection };
}

/** Like {@link findCredentials}, for commands that require a token. */
export function requireCredentials(host: Host): Credentials & { token: string } {
  const credentials = findCredentials(host);
  const { token, rejection } = credentials;
  if (token === null)
    throw new CliError(
      exitCodes.notSignedIn,
      `Not signed in to ${credentials.origin}.${rejection} Run \`plotline login\`, or set PLOTLINE_TOKEN.`,
      {
        code: 'unauthenticated',
      },
    );
  return { ...credentials, token };
}

/**
 * Stores a token for an origin, and the origin as the default server. Returns the path of the file.
 */
export function storeLogin(host: Host, origin: string, token: string): string {
  const logins = readLogins(host);
  replaceFile(loginsPath(host), `${JSON.stringify({ server: origin, tokens: { ...logins.tokens, [origin]: token } }, null, 2)}\n`);
  return loginsPath(host);
}

/** The token that `plotline login` has stored for an origin; null if there is none. */
export function storedToken(host: Host, origin: string): string | null {
  const { tokens } = readLogins(host);
  return Object.hasOwn(tokens, origin) ? tokens[origin]! : null;
}

/** Removes the token of an origin. Returns false if there was none. */
export function forgetLogin(host: Host, origin: string): boolean {
  const logins = readLogins(host);
  if (!Object.hasOwn(logins.tokens, origin)) return false;
  const { [origin]: _forgotten, ...tokens } = logins.tokens;
  const server = logins.server === origin ? null : logins.server;
  if (Object.keys(tokens).length === 0 && server === null) rmSync(loginsPath(host), { force: true });
  else replaceFile(loginsPath(host), `${JSON.stringify({ server, tokens }, null, 2)}\n`);
  return true;
}

/**
 * `https://host:port` of a server address. A path, a query or a password in it is a usage error:
 * the API is at the root.
 */
export function parseOrigin(server: string): string {
  let url: URL;
  try {
    url = new URL(server);
  } catch (error) {
    throw new CliError(exitCodes.usage, `${JSON.stringify(server)} is not a server address such as https://plotline.example.`, {
      code: 'usage',
      cause: error,
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usageError(`A server address starts with http:// or https://, not ${url.protocol}`);
  if (url.username || url.password) throw usageError('A server address must not contain a user name or password. Use `plotline login`.');
  if (url.pathname !== '/' || url.search || url.hash) throw usageError(`A server address must end after the port: ${url.origin}`);
  return url.origin;
}

/**
 * Whether a server has this origin. False for an invalid address: a hand-written file must not stop
 * the command.
 */
function isOrigin(server: string, origin: string): boolean {
  return URL.canParse(server) && new URL(server).origin === origin;
}

function localPath(host: Host): string {
  return join(dataFolder(host), 'credentials.json');
}

function loginsPath(host: Host): string {
  return join(configFolder(host), 'credentials.json');
}

function readLogins(host: Host): StoredLogins {
  const value = readJson(loginsPath(host));
  if (!isRecord(value)) return { server: null, tokens: {} };
  const tokens = isRecord(value['tokens'])
    ? Object.entries(value['tokens']).filter((e): e is [string, string] => typeof e[1] === 'string')
    : [];
  return { server: typeof value['server'] === 'string' ? value['server'] : null, tokens: Object.fromEntries(tokens) };
}

/**
 * Reads a JSON file. A file that is missing or malformed (e.g. truncated on a full disk) counts as
 * no credentials. An unreadable file is reported.
 */
function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CliError(exitCodes.failed, `Cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch {
    return null; // not JSON: it holds something else
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
