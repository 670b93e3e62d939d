import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* The image starts each process as npm does, so measurements with these flags apply to both. */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** A folder with a `node` that prints its arguments, one per line. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-node-'));
  await writeFile(join(folder, 'node'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the arguments that the image passes to `node`. */
const inImage = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await run('/bin/sh', [join(root, 'docker/entrypoint.sh'), ...args], { env: { PATH: folder } });
  return stdout.trimEnd().split('\n');
};

/** Returns the image's processes, according to its error message. */
const ofImage = async (): Promise<string[]> => {
  const output = await inImage('none').catch((error: unknown) => (error as { stderr: string }).stderr);
  return /; use (.*)\n/.exec(String(output))![1]!.split(/, | or /);
};

/** Returns the arguments of `node` in the package.json scripts that start a process, by process. */
const ofScripts = async (): Promise<Map<string, string[]>> => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const starts = Object.values(scripts).map((script) => [/^node .*dist\/apps\/(\w+)\/src\/main\.js$/.exec(script)?.[1], script] as const);
  return new Map(starts.flatMap(([name, script]) => (name ? [[name, script.split(' ').slice(1)]] : [])));
};

it('starts each process of the image with the flags of its npm script, and passes arguments on', async () => {
  const scripts = await ofScripts();
  const processes = await ofImage();
  expect(processes.length).toBeGreaterThanOrEqual(6);
  for (const name of processes) {
    const wanted = scripts.get(name)?.map((argument) => argument.replace(/^dist/, '/app/dist'));
    expect([name, await inImage(name, '--url', 'a b')]).toEqual([name, [...(wanted ?? ['no script']), '--url', 'a b']]);
  }
});
