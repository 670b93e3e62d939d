import { CliError, exitCodes, usageError } from './exit.ts';
import type { Host } from './host.ts';
import { printable } from './report.ts';

/** Reads a line, with the prompt on stderr; empty if there is no input. */
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

/** Asks a question that only "y" or "yes" confirms. */
export async function agrees(host: Host, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(host, question));
}

/**
 * Asks for confirmation of something irreversible, unless `--yes` is given; `--yes` is required if
 * there is no terminal.
 */
export async function confirm(host: Host, yes: boolean | undefined, question: string): Promise<boolean> {
  if (yes) return true;
  if (!host.stdin.isTTY) throw usageError('This needs confirmation, and there is no terminal to ask on. Add --yes to confirm.');
  return agrees(host, `${question} [y/N] `);
}

/** Like {@link confirm}, for a command that has nothing else to do: throws if the answer is no. */
export async function agree(host: Host, yes: boolean | undefined, question: string): Promise<void> {
  if (!(await confirm(host, yes, question))) throw new CliError(exitCodes.failed, 'Nothing was done.', { code: 'not-confirmed' });
}
