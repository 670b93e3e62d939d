import { StartFault } from './start-fault.ts';

/**
 * Throws {@link StartFault} if the program has arguments: it accepts none, but the user expects an
 * effect. `script` is how the program is started.
 */
export function rejectArguments(script: string, args: readonly string[] = process.argv.slice(2)): void {
  const [first] = args;
  if (first === undefined) return;
  throw new StartFault(
    `Unknown argument '${first.replace(/=.*/s, '')}'. Settings are environment variables; docs/configuration.md lists them.\nUsage: npm run ${script}`,
  );
}
