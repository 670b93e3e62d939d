/**
 * `npm run test:offline -- TIERS AND FILES`: the tests on a machine that has no network but loopback, and a list of every address that anything tried to
 * reach nevertheless (test 76 of docs/reliability.md). Needs Linux, root, `unshare`, `ip` and `strace`; what `npm test` takes, it takes as well.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptsIn, routeLooksIn } from './offline/attempts.ts';

const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
const folder = await mkdtemp(join(tmpdir(), 'plotline-offline-'));
// Another run on this machine takes what it finds in /tmp for abandoned, since process numbers are others here
const temporary = join(folder, 'tmp');
await chmod(folder, 0o755);
await mkdir(temporary);
await chmod(temporary, 0o1777);

const trace = ['--follow-forks', '--output-separately', '--seccomp-bpf', '--quiet=all', '--decode-fds=socket'];
// Node and the C library send a datagram to an address by sendmsg or sendmmsg; sendto is what Postgres answers with, ten thousand times a second
const tracedCalls = ['--trace=connect,sendmsg,sendmmsg', `--output=${join(folder, 'calls')}`];
const tests = [process.execPath, join(root, 'scripts/test.ts'), ...process.argv.slice(2)];
// Process numbers of its own as well: whatever the tests leave running ends with them. The shell stays, as the one that the orphans come to
const inside = [
  'unshare',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  'sh',
  '-c',
  'ip link set lo up && "$@"; exit $?',
  'sh',
];
const child = spawn('strace', [...trace, ...tracedCalls, ...inside, ...tests], {
  cwd: root,
  // npm asks once a day whether there is a newer npm; nothing in CI
  env: { ...process.env, CI: 'true', TMPDIR: temporary },
  stdio: 'inherit',
});
const [code] = (await once(child, 'close')) as [number | null];

const attempts = new Map<string, number>();
let routeLooks = 0;
for (const name of (await readdir(folder)).filter((file) => file.startsWith('calls'))) {
  const text = await readFile(join(folder, name), 'utf8');
  for (const attempt of attemptsIn(text)) attempts.set(attempt, (attempts.get(attempt) ?? 0) + 1);
  routeLooks += routeLooksIn(text);
}
await rm(folder, { recursive: true });
if (routeLooks > 0) console.log(`Chromium looked ${routeLooks} times for a route for IPv6, which sends nothing and is not counted`);
for (const [attempt, times] of attempts) console.log(`tried to reach ${attempt}${times > 1 ? `, ${times} times` : ''}`);
console.log(`${attempts.size} addresses outside of this machine were tried; the tests ended with ${code}`);
process.exit(code === 0 && attempts.size === 0 ? 0 : 1);
