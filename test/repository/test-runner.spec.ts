import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `npm test`'s program on a few files; returns its exit code and lines. */
const run = async (args: readonly string[], env: Record<string, string>) => {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV)/.test(name)));
  const child = spawn(process.execPath, ['scripts/test.ts', ...args], {
    cwd: root,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.resume();
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: out.trimEnd().split('\n') };
};

it('ends with the number of passed and failed tests', async () => {
  const { code, lines } = await run(['unit', 'libs/testing/src/parts.spec.ts'], {});
  expect(lines.at(-1)).toBe('4 passed, 0 failed');
  expect(code).toBe(0);
});

it('fails if a part in TEST_REQUIRE is missing', async () => {
  const { code, lines } = await run(['medium', 'libs/store/src/migrator'], {
    TEST_REQUIRE: 'chromium',
    TEST_CHROMIUM: '/nowhere/chromium',
  });
  expect(lines.at(-1)).toBe('0 passed, 1 failed');
  expect(code).toBe(1);
});
