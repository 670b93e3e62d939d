/**
 * `npm run check`: runs all checks for a change except its tests, as two lanes of package.json
 * scripts. Prints each script's output when the script ends, and runs all scripts even if one
 * fails.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/**
 * The lanes take about equally long; the type check alone is half of its lane. The generators run
 * after the build, because they use its output.
 */
const lanes = [
  ['check:types', 'lint:unused'],
  ['build', 'check:generated', 'lint', 'lint:format', 'lint:imports'],
];

/** `--built`: the build is up to date, as after `npm ci`. */
const skipped = process.argv.includes('--built') ? ['build'] : [];

/** Runs a package.json script. Returns whether it passed. */
async function passes(script: string): Promise<boolean> {
  const began = performance.now();
  // Merged, so that errors appear in sequence with the other output.
  const child = spawn('/bin/sh', ['-c', 'exec npm run -s "$0" 2>&1', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, code] = await Promise.all([text(child.stdout), new Promise<number | null>((resolve) => child.once('close', resolve))]);
  process.stdout.write(
    `\n> ${script}: ${code === 0 ? 'ok' : 'FAILED'} after ${((performance.now() - began) / 1_000).toFixed(0)} s\n${output}`,
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
