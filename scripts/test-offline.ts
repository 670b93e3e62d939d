/**
 * `npm run test:offline -- TIERS AND FILES`: runs the tests with no network but loopback, and lists
 * every address that any process tried to reach (test 76 of docs/reliability.md). Needs Linux,
 * root, `unshare`, `ip` and `strace`; accepts the arguments of `npm test`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptsIn, routeLooksIn } from './offline/attempts.ts';

const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
const folder = await mkdtemp(join(tmpdir(), 'plotline-offline-'));
// Another run on this machine would consider files in /tmp abandoned, because it does not see the
// pids of this namespace.
const temporary = join(folder, 'tmp');
await chmod(folder, 0o755);
await mkdir(temporary);
await chmod(temporary, 0o1777);

const trace = ['--follow-forks', '--output-separately', '--seccomp-bpf', '--quiet=all', '--decode-fds=socket'];
// Node and the C library send datagrams with sendmsg or sendmmsg. Postgres responds with sendto,
// ten thousand times per second.
const tracedCalls = ['--trace=connect,sendmsg,sendmmsg', `--output=${join(folder, 'calls')}`];
const tests = [process.execPath, join(root, 'scripts/test.ts'), ...process.argv.slice(2)];
// Also a separate pid namespace, which ends processes that the tests leave running. The shell
// remains as PID 1, the parent of orphans.
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
  // npm checks once a day for a newer npm, but not in CI.
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
if (routeLooks > 0) console.log(`Chromium checked ${routeLooks} times for an IPv6 route, which sends nothing and does not count`);
for (const [attempt, times] of attempts) console.log(`tried to reach ${attempt}${times > 1 ? `, ${times} times` : ''}`);
console.log(`${attempts.size} addresses of other machines were contacted; the tests exited with ${code}`);
process.exit(code === 0 && attempts.size === 0 ? 0 : 1);
