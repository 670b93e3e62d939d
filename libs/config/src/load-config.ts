import { authConcern } from './auth.config.ts';
import { clientConcern } from './client.config.ts';
import { grpcConcern } from './grpc.config.ts';
import { ingestConcern } from './ingest.config.ts';
import type { Key, ValuesOf } from './key.ts';
import type { Secret } from './live-secret.ts';
import { quotaConcern } from './quota.config.ts';
import { serverConcern } from './server.config.ts';
import { readSecretFiles, type ReadText } from './secret-files.ts';
import { signInConcern } from './sign-in.config.ts';
import { storageConcern } from './storage.config.ts';
import { telemetryConcern } from './telemetry.config.ts';
import { uploadConcern } from './upload.config.ts';

/** All concerns; add a new one here, and nowhere else. */
export const concerns = {
  auth: authConcern,
  client: clientConcern,
  grpc: grpcConcern,
  ingest: ingestConcern,
  quota: quotaConcern,
  server: serverConcern,
  signIn: signInConcern,
  storage: storageConcern,
  telemetry: telemetryConcern,
  upload: uploadConcern,
} as const;

/** The validated environment, with defaults. */
export type Config = { readonly [C in keyof typeof concerns]: ValuesOf<(typeof concerns)[C]> } & {
  /** Secret files, by setting. */
  readonly files: ReadonlyMap<string, string>;
};

/** The environment has errors; the message lists all of them, one per line. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const prefix = 'PLOTLINE_';

/**
 * A setting that a program requires: always, or if another setting is set, unless a third has a
 * given value.
 */
export type Need =
  string | { readonly name: string; readonly where: string; readonly unless?: { readonly name: string; readonly is: string } };

/** The message about a required setting that is missing. */
export function notSet(name: string): string {
  return `${name}: is not set, but this program needs it; see docs/configuration.md.`;
}

/**
 * Settings that can come from a file (`NAME_FILE`): the secrets of processes. The CLI has its own
 * store.
 */
const secrets: ReadonlySet<string> = new Set(
  Object.entries(concerns)
    .filter(([concern]) => concern !== 'client')
    .flatMap(([, keys]) => Object.values<Key<unknown>>(keys))
    .filter(({ type }) => type.split(', ').includes('secret'))
    .map(({ name }) => name),
);

/**
 * Reads the `PLOTLINE_…` variables of `env`; an empty variable counts as not set. Throws {@link
 * ConfigFault} with all errors together. These include missing settings from `needs`, and unknown
 * variables with our prefix, so that a typo does not silently result in a default. A secret can be
 * in the file at the path in `NAME_FILE`. Values are never repeated: they may be secret.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, needs: readonly Need[] = [], readFile?: ReadText): Config {
  const files = readSecretFiles(env, secrets, readFile);
  const faults = [...files.faults];
  const given = new Set<string>();
  const names = new Set<string>();
  const config: Record<string, unknown> = { files: new Map([...files.values.keys()].map((name) => [name, env[`${name}_FILE`]!])) };
  for (const [concern, keys] of Object.entries(concerns)) {
    const values: Record<string, unknown> = {};
    for (const [property, { name, schema }] of Object.entries<Key<unknown>>(keys)) {
      names.add(name);
      if (secrets.has(name)) names.add(`${name}_FILE`);
      const text = files.values.get(name) ?? env[name];
      const isGiven = text !== undefined && text !== '' && !injectedByKubernetes(name, text);
      if (isGiven) given.add(name);
      const result = schema.safeParse(isGiven ? text : undefined);
      if (result.success) values[property] = result.data;
      else faults.push(...result.error.issues.map((issue) => `${name}: ${issue.message}`));
    }
    config[concern] = values;
  }
  for (const [name, text] of Object.entries(env)) {
    if (name.startsWith(prefix) && !names.has(name) && !injectedByKubernetes(name, text)) faults.push(unknownName(name, names));
  }
  for (const need of needs) {
    const { name, where, unless } = typeof need === 'string' ? { name: need, where: null, unless: undefined } : need;
    if (unless && env[unless.name] === unless.is) continue;
    if (!given.has(name) && (where === null || given.has(where))) faults.push(notSet(name));
  }
  if (faults.length > 0) throw new ConfigFault(faults);
  return config as Config;
}

/**
 * A configured secret, with its file if it is in one, for code that follows its changes
 * (`LiveSecret`). Undefined if it is not set.
 */
export function secretOf(config: Config, name: string): Secret | undefined {
  for (const [concern, keys] of Object.entries(concerns)) {
    for (const [property, key] of Object.entries<Key<unknown>>(keys)) {
      if (key.name !== name) continue;
      const value = (config[concern as keyof typeof concerns] as Record<string, unknown>)[property];
      const file = config.files.get(name);
      if (typeof value !== 'string') return undefined;
      return file === undefined ? value : { file, atStart: value };
    }
  }
  throw new Error(`there is no setting ${name}`);
}

/**
 * Kubernetes adds variables for every service in the namespace to every container: for a service
 * `plotline-read`, it sets PLOTLINE_READ_SERVICE_HOST, PLOTLINE_READ_PORT=tcp://…,
 * PLOTLINE_READ_PORT_80_TCP_ADDR and so on. For a service named `plotline`, it also sets
 * PLOTLINE_PORT, which is our setting.
 */
function injectedByKubernetes(name: string, text: string | undefined): boolean {
  return (
    /^PLOTLINE_(\w+_)?SERVICE_/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (/_PORT\b/.test(name) && /^(tcp|udp|sctp):\/\//.test(text ?? ''))
  );
}

function unknownName(name: string, known: ReadonlySet<string>): string {
  const [closest, distance] = [...known]
    .map((candidate) => [candidate, editDistance(name, candidate)] as const)
    .reduce((best, next) => (next[1] < best[1] ? next : best));
  return `${name}: there is no such setting${distance <= 3 ? `; did you mean ${closest}?` : '. docs/configuration.md lists them all.'}`;
}

/** Levenshtein distance: the number of characters to change, add or remove. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
