/**
 * `npm run check`: everything about a change but its tests, as two lanes of scripts of package.json. What a script says is printed when it ends. All of
 * them run, whatever one finds.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Of about the same length; the type check alone is half of it all. What is generated is made by what was built. */
const lanes = [
  ['check:types', 'lint:unused'],
  ['build', 'check:generated', 'lint', 'lint:format', 'lint:imports'],
];

/** `--built`: what is built is of these sources, as it is after `npm ci`. */
const skipped = process.argv.includes('--built') ? ['build'] : [];

/** Runs a script of package.json. True when it found nothing. */
async function passes(script: string): Promise<boolean> {
  const began = performance.now();
  // One stream, so that faults stand where they were said
  const child = spawn('/bin/sh', ['-c', 'exec npm run -s "$0" 2>&1', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, code] = await Promise.all([text(child.stdout), new Promise<number | null>((resolve) => child.once('close', resolve))]);
  process.stdout.write(
    `\n> ${script}: ${code === 0 ? 'ok' : 'FAILED'} after ${((performance.now() - began) / 1_000).toFixed(0)} s\n${said}`,
  );
  return code === 0;
}

async function runLane(scripts: readonly string[]): Promise<boolean> {
  let ok = true;
  for (const script of scripts) if (!skipped.includes(script)) ok = (await passes(script)) && ok;
  return ok;
}

const ok = (await Promise.all(lanes.map(runLane))).every(Boolean);
process.exit(ok ? 0 : 1);
