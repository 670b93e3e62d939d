import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CliError, exitCodes } from './exit.ts';
import type { Host } from './host.ts';
import { checkEnvironment } from './local/check-environment.ts';
import { Report } from './report.ts';
import { cliVersion } from './version.ts';

/** What a verb is: flags and arguments in, exit code out; results and remarks through the report. */
type Verb<F> = (flags: F, host: Host, report: Report) => Promise<number>;

/** Runs one command line (without `node` and the script) and returns its exit code. Nothing is thrown. */
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

  /** Adds a verb whose module is loaded only when it is called: start-up time. */
  const verb = <F>(name: string, description: string, load: () => Promise<Verb<F>>, argumentName?: string): Command => {
    const command = program.command(argumentName ? `${name} ${argumentName}` : name).description(description);
    command.option('--json', 'print one JSON document on stdout, and nothing else');
    command.action(async (...args: unknown[]) => {
      const flags = command.opts();
      const value = argumentName ? args[0] : undefined;
      await checkEnvironment(host.env);
      const run = await load();
      exitCode = await run({ ...flags, ...(argumentName && { argument: value }) } as F, host, report);
    });
    return command;
  };

  verb(
    'login',
    'keep a token for a server (read from stdin, a prompt, or PLOTLINE_TOKEN)',
    async () => (await import('./verbs/login.ts')).login,
  )
    .option('--server <url>', 'server to sign in to')
    .option('--token', 'read a token from stdin; it is never taken from the command line, which others can see');
  verb('logout', 'forget the stored token of a server', async () => (await import('./verbs/login.ts')).logout).option(
    '--server <url>',
    'server to sign out of',
  );
  verb('whoami', 'say who the token belongs to', async () => (await import('./verbs/whoami.ts')).whoami);

  verb('upload', 'upload a log directory, and go on while it grows', async () => (await import('./verbs/upload.ts')).upload)
    .requiredOption('--logdir <dir>', 'folder that holds the runs')
    .option('--name <name>', 'name of the experiment')
    .option('--description <text>', 'description of the experiment (Markdown)')
    .option('--experiment <id>', 'upload to this experiment')
    .option('--new', 'start a new experiment, also if this directory was uploaded before')
    .option('--include <glob>', 'only files or folders that match (may be repeated)', collect)
    .option('--exclude <glob>', 'no files or folders that match (may be repeated)', collect)
    .option('--one-shot', 'end when everything present is uploaded and visible')
    .option('--dry-run', 'say what would be uploaded, and upload nothing')
    .option('--connections <n>', 'connections to the server', connections, 4)
    .option('--no-wait', 'do not wait until the points are visible')
    .addOption(
      new Option('--compress <how>', 'compress on the way; auto: unless the server is on this machine')
        .choices(['auto', 'zstd', 'none'])
        .default('auto'),
    );

  const experiments = () => import('./verbs/experiments.ts');
  verb('list', 'list experiments', async () => (await experiments()).list)
    .option('--filter <expression>', 'only experiments that match')
    .option('--order-by <fields>', 'order of the list');
  verb('show', 'show an experiment with its runs and series', async () => (await experiments()).show, '<experiment>');
  verb(
    'status',
    'how far the service is, and what it could not read',
    async () => (await import('./verbs/status.ts')).status,
    '[experiment]',
  ).option('--logdir <dir>', 'without an experiment: the one that this folder was uploaded to', '.');
  verb(
    'verify',
    'compare what the service has with the local files',
    async () => (await import('./verbs/verify.ts')).verify,
    '[experiment]',
  )
    .option('--logdir <dir>', 'folder that holds the runs', '.')
    .option('--experiment <id>', 'the experiment; without one, the one that the folder was uploaded to')
    .option('--include <glob>', 'only files or folders that match (may be repeated)', collect)
    .option('--exclude <glob>', 'no files or folders that match (may be repeated)', collect);
  verb(
    'export',
    'write the event files byte for byte, or the scalars as a table',
    async () => (await import('./verbs/export.ts')).exportExperiment,
    '<experiment>',
  )
    .addOption(
      new Option('--format <format>', 'raw: the event files; csv, arrow: one long table').choices(['raw', 'csv', 'arrow']).default('raw'),
    )
    .option('--outdir <dir>', 'folder to write to (default: named like the experiment)')
    .option('--superseded', 'tables: also points that were logged again later');
  verb('update', 'change name or description', async () => (await experiments()).update, '<experiment>')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'new description (Markdown)');
  verb(
    'delete',
    'delete an experiment, or runs, tags or steps of it, for everybody',
    async () => (await import('./verbs/delete.ts')).remove,
    '<experiment>',
  )
    .option('--run <name>', 'only this run, or points of it (may be repeated)', collect)
    .option('--tag <name>', 'only points of this tag (may be repeated)', collect)
    .option('--steps <from..to>', 'only points of these steps, inclusive; either end may be left out', steps)
    .option('--wait', 'end when nothing is left of it at the server')
    .option('--yes', 'do not ask');
  verb('open', 'open the page of an experiment', async () => (await experiments()).open, '<experiment>');

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    exitCode = await explain(error, report);
  }
  return exitCode;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function steps(value: string): { from?: string; to?: string } {
  const match = /^(-?\d{1,19})?\.\.(-?\d{1,19})?$/.exec(value);
  if (!match || (match[1] === undefined && match[2] === undefined)) throw new InvalidArgumentError('like 100..200, 100.. or ..200');
  return { ...(match[1] !== undefined && { from: match[1] }), ...(match[2] !== undefined && { to: match[2] }) };
}

function connections(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 64) throw new InvalidArgumentError('a number from 1 to 64');
  return Number(value);
}

/** Tells what went wrong, on stderr and (with --json) as the one document, and gives the exit code. */
async function explain(error: unknown, report: Report): Promise<number> {
  if (error instanceof CommanderError) {
    // Help and version are no faults; commander has printed its message already.
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
