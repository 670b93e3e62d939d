import { CliError, exitCodes, usageError } from './exit.ts';
import type { Host } from './host.ts';
import { printable } from './report.ts';

/** Prompts on stderr and reads a line; returns an empty string if there is no input. */
export async function askLine(host: Host, question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  host.stderr.write(printable(question));
  const lines = createInterface({ input: host.stdin });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}

/** Asks a yes/no question; only "y" or "yes" confirms. */
export async function agrees(host: Host, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(host, question));
}

/**
 * Asks for confirmation of something irreversible, unless `--yes` is given; `--yes` is required if
 * there is no terminal.
 */
export async function confirm(host: Host, yes: boolean | undefined, question: string): Promise<boolean> {
  if (yes) return true;
  if (!host.stdin.isTTY) throw usageError('This command needs confirmation, but no terminal is available. Add --yes to confirm.');
  return agrees(host, `${question} [y/N] `);
}

/**
 * Like {@link confirm}, but throws if the answer is no: for a command that has nothing else to do.
 */
export async function agree(host: Host, yes: boolean | undefined, question: string): Promise<void> {
  if (!(await confirm(host, yes, question))) throw new CliError(exitCodes.failed, 'Nothing was done.', { code: 'not-confirmed' });
}
