import { ConfigFault } from '#config';
import { GrpcFault } from '#grpc';
import { SchemaMismatch } from '#store';
import { inFull } from '#telemetry';
import { Interrupted, onInterruption } from './interruption.ts';
import { StartFault } from './start-fault.ts';

type ErrorClass = abstract new (...parts: never[]) => Error;

const alwaysExpected: readonly ErrorClass[] = [ConfigFault, GrpcFault, SchemaMismatch, StartFault];

/**
 * Runs a program of the service until the process ends. Exit codes match the CLI: the result of
 * `work`, 0 if it was interrupted, 2 for an invalid environment, 1 for any other failure. Errors of
 * the classes in `expected` are printed without a stack.
 */
export async function run(work: (interrupted: AbortSignal) => Promise<number>, expected: readonly ErrorClass[] = []): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    // If the output pipe is closed (`npm start | head`), nothing more is written, and the service
    // continues.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const interrupted = onInterruption((why) => {
    process.stderr.write(`${why}\n`);
    process.exit(1);
  });
  process.exit(await work(interrupted).catch((error: unknown) => explain(error, [...alwaysExpected, ...expected])));
}

/**
 * Prints why the program ends, and returns the exit code. A reason that the user can act on is
 * printed without a stack.
 */
function explain(error: unknown, expected: readonly ErrorClass[]): number {
  if (error instanceof Interrupted) return 0;
  process.stderr.write(`${isOneOf(error, expected) ? error.message : inFull(error)}\n`);
  return error instanceof ConfigFault ? 2 : 1;
}

function isOneOf(error: unknown, kinds: readonly ErrorClass[]): error is Error {
  return kinds.some((kind) => error instanceof kind);
}
