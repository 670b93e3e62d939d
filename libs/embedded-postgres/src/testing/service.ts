/**
 * A service in a separate process, for tests: starts the Postgres of the folder in argv and reports
 * it in a line of JSON on stdout. Runs until stdin contains `stop` (stops cleanly) or `exit` (exits
 * without notifying Postgres). SIGINT is only recorded.
 */
import { createInterface } from 'node:readline';
import { startPostgres } from '../start-postgres.ts';

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: service.ts DATA_DIR');
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

try {
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '32MB' } });
  process.on('SIGINT', () => say({ state: 'interrupted' }));
  say({ state: 'ready', url: postgres.url(), runAs: postgres.runAs });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'exit') process.exit(0);
    if (line === 'stop') break;
  }
  await postgres.stop();
  say({ state: 'stopped' });
} catch (error) {
  say({ state: 'failed', name: (error as Error).name, message: (error as Error).message });
}
