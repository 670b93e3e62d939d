import type { ChildProcess } from 'node:child_process';
import type { Cli, CliResult } from './service.ts';

/**
 * Starts a `plotline probe` that repeats its round each second. Its metrics are served at `url`.
 */
export async function startProbe(
  cli: Cli,
): Promise<{ readonly child: ChildProcess; readonly ended: Promise<CliResult>; readonly url: string }> {
  const spawned = cli.spawn(['probe', '--every', '1', '--metrics-port', '0']);
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    spawned.child.stderr!.on('data', (piece: Buffer) => {
      text += piece.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(text);
      if (found) resolve(found[0]);
    });
    void spawned.ended.then(({ stderr }) => reject(new Error(`plotline probe ended: ${stderr}`)));
  });
  return { ...spawned, url };
}
