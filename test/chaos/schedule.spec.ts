import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scheduleHash } from './campaign.ts';

const run = promisify(execFile);

test('a seed has the same schedule in every process, so that the printed schedule can be reproduced', async () => {
  const script = `const { scheduleHash } = await import(${JSON.stringify(new URL('campaign.ts', import.meta.url).href)});
console.log([4711, 4712].map(scheduleHash).join(' '));`;
  const { stdout } = await run(process.execPath, ['--conditions=source', '--input-type=module', '--eval', script]);
  const [first, second] = stdout.trim().split(' ');
  expect(first).toBe(scheduleHash(4711));
  expect(second).toBe(scheduleHash(4712));
  expect(first).not.toBe(second);
});
