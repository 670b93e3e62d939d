import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const maxRunMs = 900_000;

/** How a command exited. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the root of this repository; throws its output if it fails. */
export async function command(program: string, args: readonly string[], env = process.env): Promise<Ended> {
  return promisify(execFile)(program, args, { cwd: root, env, maxBuffer: 64 << 20, timeout: maxRunMs }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${args.join(' ')}: ${error.message}\n${error.stdout ?? ''}`, { cause: error });
    },
  );
}

/**
 * `docker compose`: the plugin of `docker`, or a separate program on the PATH or in `.cache/bin`.
 * Null if there is none.
 */
export async function findCompose(): Promise<readonly [program: string, ...args: string[]] | null> {
  const own = join(root, '.cache/bin/docker-compose');
  const candidates: readonly (readonly [string, ...string[]])[] = [['docker', 'compose'], ['docker-compose'], [own]];
  for (const [program, ...args] of candidates) {
    if (program === own && !existsSync(own)) continue;
    const version = await command(program, [...args, 'version', '--short']).catch(() => null);
    if (version && /^v?[2-9]\./.test(version.stdout)) return [program, ...args];
  }
  return null;
}

/**
 * Returns the images in Dockerfile and docker-compose.yml that are neither on the engine nor in a
 * registry.
 */
export async function findMissingImages(images: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const image of new Set(images)) {
    const there = await command('docker', ['image', 'inspect', image]).catch(() => null);
    if (there === null && (await command('docker', ['pull', '--quiet', image]).catch(() => null)) === null) missing.push(image);
  }
  return missing;
}

/** Returns the documents that a command prints as JSON, in lines or in a list. */
export function documentsOf<T>(stdout: string): T[] {
  if (stdout.trimStart().startsWith('[')) return JSON.parse(stdout) as T[];
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as T);
}
