import { Command, CommanderError } from 'commander';
import { addAnswers } from './commands/answers.ts';
import { addAudit } from './commands/audit.ts';
import { Commands } from './commands/commands.ts';
import { addExperiments } from './commands/experiments.ts';
import { addMembers } from './commands/members.ts';
import { addPages } from './commands/pages.ts';
import { addPersonalData } from './commands/personal-data.ts';
import { addServiceAccounts } from './commands/service-accounts.ts';
import { addSharing } from './commands/sharing.ts';
import { addSignIn } from './commands/sign-in.ts';
import { addTokens } from './commands/tokens.ts';
import { addTools } from './commands/tools.ts';
import { addUploads } from './commands/uploads.ts';
import { addWorkspaces } from './commands/workspaces.ts';
import { CliError, exitCodes } from './exit.ts';
import { collectors } from './flag-values.ts';
import type { Host } from './host.ts';
import { Report } from './report.ts';
import { cliVersion } from './version.ts';

/** The groups of verbs, in the order of `plotline --help`. */
const groups = [
  addSignIn,
  addUploads,
  addExperiments,
  addSharing,
  addTools,
  addAnswers,
  addPages,
  addMembers,
  addWorkspaces,
  addTokens,
  addServiceAccounts,
  addPersonalData,
  addAudit,
] as const;

/**
 * Runs one command line (without `node` and the script) and returns its exit code. Never throws.
 */
export async function runCli(argv: readonly string[], host: Host): Promise<number> {
  let exitCode: number = exitCodes.done;
  const json = argv.includes('--json');
  const report = new Report(json, host.stdout, host.stderr);
  const program = new Command('plotline')
    .description('Upload training logs, share a URL, read every point back exactly.')
    .version(cliVersion(), '-V, --version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void host.stdout.write(text), writeErr: (text) => void host.stderr.write(text) })
    .showHelpAfterError('(see plotline --help)')
    .enablePositionalOptions();

  const commands = new Commands(program, { host, report, onExit: (code) => (exitCode = code) });
  for (const add of groups) add(commands);
  rejectRepeated(program);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    exitCode = await explain(error, report);
  }
  return exitCode;
}

/**
 * Rejects a single-value flag that is given twice: otherwise the first value would be dropped
 * silently.
 */
function rejectRepeated(command: Command): void {
  for (const option of command.options) {
    if (option.isBoolean() || (option.parseArg && collectors.has(option.parseArg))) continue;
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      if (++given > 1)
        command.error(`error: option '${option.flags}' is given more than once but takes a single value`, {
          code: 'plotline.repeatedOption',
        });
    });
  }
  for (const below of command.commands) rejectRepeated(below);
}

/**
 * Reports an error on stderr and (with --json) as the single document, and returns the exit code.
 */
async function explain(error: unknown, report: Report): Promise<number> {
  if (error instanceof CommanderError) {
    // Help and version are not errors; commander has already printed its message.
    if (error.exitCode === 0) return exitCodes.done;
    report.document({ error: { code: 'usage', detail: error.message } });
    return exitCodes.usage;
  }
  const known = error instanceof CliError ? error : await translate(error);
  report.say(known.message + (known.requestId ? ` (request ${known.requestId})` : ''));
  report.document({ error: { code: known.code, detail: known.message, ...(known.requestId && { request_id: known.requestId }) } });
  return known.exitCode;
}

async function translate(error: unknown): Promise<CliError> {
  const { ApiError, toCliError } = await import('./http/api-error.ts');
  const { NetworkError } = await import('./http/http-client.ts');
  if (error instanceof ApiError) return toCliError(error);
  if (error instanceof NetworkError)
    return new CliError(exitCodes.failed, `Cannot reach ${error.message}`, { code: 'unreachable', cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new CliError(exitCodes.failed, message, { cause: error });
}
