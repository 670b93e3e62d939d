import { port, seconds } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** Adds verbs for other programs that use the service: TensorBoard, and monitoring. */
export function addTools(commands: Commands): void {
  commands
    .verb(
      'tensorboard',
      'show an experiment or a share link in stock TensorBoard on this machine',
      async () => (await import('../verbs/tensorboard.ts')).tensorboard,
      '<experiment-or-link> [arguments...]',
    )
    .usage('[options] <experiment-or-link> [-- arguments for tensorboard]')
    .option('--port <n>', 'TensorBoard port (default: 6006, or a free port)', port)
    .option('--bridge-only', 'start only the bridge, and print how to start TensorBoard');
  commands
    .verb('probe', 'upload a point and read it back at intervals, with metrics', async () => (await import('../verbs/probe.ts')).probe)
    .option('--every <seconds>', 'time between the starts of two rounds', seconds, 60)
    .option('--timeout <seconds>', 'timeout per round', seconds, 60)
    .option('--once', 'run one round; exit with 1 if it fails')
    .option('--metrics-port <n>', 'serve metrics for Prometheus on this port', port)
    .option('--metrics-host <address>', 'address to serve the metrics on', '127.0.0.1');
}
