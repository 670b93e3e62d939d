import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';

/** The minimum Node version: the service uses Node's zstd. */
const minNode = [22, 15] as const;

/**
 * `plotline serve`: runs the embedded service (`npm start` in the repository) until Ctrl-C, with
 * its data in `.plotline` or `PLOTLINE_DATA_DIR`. Returns its exit code. Throws if this Node is too
 * old, or the service is not installed next to the CLI.
 */
export async function serve(_flags: object, host: Host): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < minNode[0] || (major === minNode[0] && minor < minNode[1]))
    throw new CliError(exitCodes.failed, `The service needs Node ${minNode.join('.')} or later; this is ${process.versions.node}.`);
  const program = fileURLToPath(new URL('../../../standalone/src/main.js', import.meta.url));
  if (!existsSync(program)) throw new CliError(exitCodes.failed, 'The service is not built yet. Run `npm run build` first.');
  const child = spawn(process.execPath, ['--heap-growing-percent=100', '--max-semi-space-size=8', program], {
    cwd: host.cwd,
    env: host.env,
    stdio: 'inherit',
  });
  // The terminal sends Ctrl-C to both processes; this process ends after the service has stopped.
  const release = host.onInterrupt(() => child.kill('SIGTERM'));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? exitCodes.interrupted));
    });
  } finally {
    release();
  }
}
