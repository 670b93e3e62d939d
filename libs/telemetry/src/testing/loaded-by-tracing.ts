import { createRequire } from 'node:module';
import { createLogger, startTracing } from '../index.ts';

/**
 * Starts tracing as a process does, and prints which packages of OpenTelemetry's SDK were loaded.
 */
const tracing = await startTracing(process.env, 'test', createLogger({ level: 'silent', format: 'json' }));
const files = Object.keys(createRequire(import.meta.url).cache);
const packages = files.flatMap((file) => /@opentelemetry\/[^/]+/.exec(file) ?? []);
process.stdout.write(JSON.stringify([...new Set(packages)].filter((name) => name !== '@opentelemetry/api')));
await tracing?.close();
