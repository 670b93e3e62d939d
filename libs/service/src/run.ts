import { ConfigFault } from '#config';
import { GrpcFault } from '#grpc';
import { SchemaMismatch } from '#store';
import { inFull } from '#telemetry';
import { Interrupted, onInterruption } from './interruption.ts';
import { StartFault } from './start-fault.ts';

type ErrorClass = abstract new (...parts: never[]) => Error;

const alwaysExpected: readonly ErrorClass[] = [ConfigFault, GrpcFault, SchemaMismatch, StartFault];

/**
 * Runs a program of the service to the end of the process. Exit codes are those of the command line: what `work` resolves with, 0 when it was interrupted,
 * 2 for a wrong environment, 1 for any other failure. Errors of the classes in `expected` are said without a stack.
 */
export async function run(work: (interrupted: AbortSignal) => Promise<number>, expected: readonly ErrorClass[] = []): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that went away (`npm start | head`) wants no more of what is said; the service goes on.
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

/** Says why the program ends, and gives the exit code. A reason that a person can act upon is said without a stack. */
function explain(error: unknown, expected: readonly ErrorClass[]): number {
  if (error instanceof Interrupted) return 0;
  process.stderr.write(`${isOneOf(error, expected) ? error.message : inFull(error)}\n`);
  return error instanceof ConfigFault ? 2 : 1;
}

function isOneOf(error: unknown, kinds: readonly ErrorClass[]): error is Error {
  return kinds.some((kind) => error instanceof kind);
}
