/**
 * `npm run dev`: runs the service on its own data, and the pages with hot reload, until Ctrl+C.
 * Each changed source file is compiled alone, without type checks, and the service restarts;
 * Postgres keeps running.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '#embedded-postgres';
import { compile, kindOf, watchSources } from './dev/sources.ts';
import { DevService } from './dev/dev-service.ts';
import { serveWeb } from './dev/web-server.ts';
import { buildThreads } from './dev/threads.ts';

const root = join(import.meta.dirname, '..');
const dataDir = process.env.PLOTLINE_DATA_DIR ?? join(root, '.plotline/dev');
const webPort = Number(process.env.DEV_PORT ?? 5173);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (!existsSync(join(root, 'dist/web/client/manifest.json'))) throw new Error('Run npm run build once before npm run dev.');
const postgres = await startPostgres({ dataDir: join(dataDir, 'database') });
const service = new DevService({ root, dataDir, databaseUrl: postgres.url(), publicUrl: `http://localhost:${webPort}`, say });
await service.start();
const web = await serveWeb({ root, port: webPort, serviceUrl: service.url });
const watcher = watchSources(root, (paths) => void change(paths).catch((error: unknown) => say(String(error))));
say(`Plotline is at http://localhost:${webPort}; data in ${dataDir}`);

async function change(paths: readonly string[]): Promise<void> {
  const began = performance.now();
  const compiled = await compile(
    root,
    paths.filter((path) => kindOf(path) === 'service'),
  );
  for (const fault of compiled.faults) say(fault);
  if (compiled.changed.length === 0) return;
  await service.restart();
  say(`${compiled.changed.join(', ')}: ready again after ${(performance.now() - began).toFixed(0)} ms`);
  // The ingest threads are one bundle. The service runs with the old bundle until the new bundle is
  // built.
  if (compiled.changed.some((path) => /^(libs|apps\/ingest)\//.test(path)) && (await buildThreads(root))) await service.restart();
}

const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt());
await interrupted;
watcher.close();
await web.close();
await service.stop();
await postgres.stop();
