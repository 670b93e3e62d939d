import { Command, CommanderError, Option } from 'commander';
import { CliError, exitCodes } from './exit.ts';
import {
  collect,
  collectOneOf,
  collectors,
  connections,
  curvePoints,
  days,
  daysOrNever,
  lines,
  port,
  seconds,
  steps,
  tailLines,
  writer,
} from './flag-values.ts';
import type { Host } from './host.ts';
import { checkEnvironment } from './local/check-environment.ts';
import { Report } from './report.ts';
import { cliVersion } from './version.ts';

/**
 * A verb: gets flags and arguments, returns an exit code; results and messages go through the
 * report.
 */
type Verb<F> = (flags: F, host: Host, report: Report) => Promise<number>;

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

  /** Adds a verb whose module is loaded only when it is called, to keep startup fast. */
  const verb = <F>(
    name: string,
    description: string,
    load: () => Promise<Verb<F>>,
    argumentName?: string,
    group: Command = program,
  ): Command => {
    const command = group.command(argumentName ? `${name} ${argumentName}` : name).description(description);
    command.option('--json', 'print one JSON document on stdout and nothing else');
    command.action(async (...args: unknown[]) => {
      const flags = command.opts();
      const [argument, rest] = args;
      await checkEnvironment(host.env);
      const run = await load();
      const second = typeof rest === 'string' ? { second: rest } : {};
      exitCode = await run(
        { ...flags, ...(argumentName && { argument }), ...second, ...(Array.isArray(rest) && { rest }) } as F,
        host,
        report,
      );
    });
    return command;
  };

  verb('login', 'sign in to a server through a browser on any machine', async () => (await import('./verbs/login.ts')).login)
    .option('--server <url>', 'server to sign in to')
    .option('--token', 'read a token from stdin, a prompt or PLOTLINE_TOKEN instead of using a browser');
  verb('logout', 'revoke the stored token of a server and remove it', async () => (await import('./verbs/login.ts')).logout).option(
    '--server <url>',
    'server to sign out of',
  );
  verb('login-link', 'create a link that signs a browser in once', async () => (await import('./verbs/login-link.ts')).loginLink).option(
    '--next <path>',
    'page of the service to open after sign-in',
  );
  verb('whoami', 'show who the token belongs to', async () => (await import('./verbs/whoami.ts')).whoami);

  verb('usage', 'show usage and quotas of the workspace', async () => (await import('./verbs/usage.ts')).usage);

  verb('upload', 'upload a log directory and keep uploading while it grows', async () => (await import('./verbs/upload.ts')).upload)
    .requiredOption('--logdir <dir>', 'folder that contains the runs')
    .option('--name <name>', 'name of the experiment')
    .option('--description <text>', 'description of the experiment (Markdown)')
    .option('--experiment <id>', 'upload to this experiment')
    .option('--new', 'start a new experiment even if this directory was uploaded before')
    .option('--include <glob>', 'only matching files or folders (repeatable)', collect)
    .option('--exclude <glob>', 'no matching files or folders (repeatable)', collect)
    .option('--follow-links', 'follow links that lead out of the log directory')
    .option('--one-shot', 'exit when all current data is uploaded and visible')
    .option('--dry-run', 'show what would be uploaded, without uploading')
    .option('--connections <n>', 'connections to the server; auto: 4 to 8, depending on the link', connections, 4)
    .option('--no-wait', 'do not wait until the points are visible')
    .addOption(
      new Option('--compress <how>', 'compress uploads; auto: unless the server is on this machine')
        .choices(['auto', 'columns', 'zstd', 'none'])
        .default('auto'),
    );

  verb(
    'import',
    'upload logs of other tools: tables, W&B, MLflow, Neptune, Trackio',
    async () => (await import('./verbs/import.ts')).importLogs,
    '<path>',
  )
    .addOption(
      new Option('--from <format>', 'format of the path (default: detected from its name)').choices([
        'csv',
        'jsonl',
        'arrow',
        'parquet',
        'neptune',
        'wandb',
        'mlflow',
        'trackio',
      ]),
    )
    .option('--name <name>', 'name of the experiment (default: the name of the path)')
    .option('--experiment <id>', 'upload to this experiment')
    .option('--new', 'start a new experiment even if this path was imported before')
    .option('--outdir <dir>', 'folder for the event files (default: one that a later import of the path continues)')
    .option('--no-upload', 'only write the event files to --outdir')
    .option('--run <name>', 'tables without a run column: name of the run (default: the name of the file)')
    .option('--run-column <name>', 'tables: column with the run')
    .option('--tag-column <name>', 'tables: column with the tag')
    .option('--step-column <name>', 'tables: column with the step (default: points are counted)')
    .option('--time-column <name>', 'tables: column with the time, a number or a date')
    .option('--value-column <name>', 'tables: column with the value')
    .option('--writer-column <name>', 'tables: column that distinguishes processes that logged a run at the same time')
    .addOption(new Option('--time-unit <unit>', 'tables: unit of times that are numbers').choices(['s', 'ms', 'us', 'ns']).default('s'))
    .option('--allow-restarts', 'tables: treat a decreasing step as a restart of the run; later points supersede earlier ones');

  const experiments = () => import('./verbs/experiments.ts');
  verb('list', 'list experiments', async () => (await experiments()).list)
    .option('--filter <expression>', 'only experiments that match')
    .option('--order-by <fields>', 'order of the list');
  verb('show', 'show an experiment with its runs and series', async () => (await experiments()).show, '<experiment>')
    .option('--filter <expression>', 'only runs that match, such as "config.lr = 0.01"')
    .option('--order-by <fields>', 'order of the runs');
  verb(
    'status',
    'show the progress of ingest and unreadable data',
    async () => (await import('./verbs/status.ts')).status,
    '[experiment]',
  ).option('--logdir <dir>', 'folder whose experiment to use if none is specified', '.');
  verb(
    'verify',
    'compare what the service stored with the local files',
    async () => (await import('./verbs/verify.ts')).verify,
    '[experiment]',
  )
    .option('--logdir <dir>', 'folder that contains the runs', '.')
    .option('--experiment <id>', 'the experiment (default: the one the folder was uploaded to)')
    .option('--include <glob>', 'only matching files or folders (repeatable)', collect)
    .option('--exclude <glob>', 'no matching files or folders (repeatable)', collect)
    .option('--follow-links', 'follow links that lead out of the log directory')
    .option(
      '--snapshot [digest]',
      'check the content digest of a citable snapshot: <experiment> on the service, or without it the exported event files in --logdir, which needs no server. Optional: the expected digest (default: that of the citation)',
    )
    .option(
      '--repair',
      'first make the service apply its data rules to all stored points again; repairs experiments from before a rule changed',
    );
  verb(
    'export',
    'write an experiment to files: its event files, the scalars as a table, or a page that opens without a server (bundle)',
    async () => (await import('./verbs/export.ts')).exportExperiment,
    '<experiment>',
  )
    .addOption(
      new Option(
        '--format <format>',
        'raw: the event files as uploaded; events: new event files with every effective value, without superseded ones; csv, jsonl, arrow, parquet: one long table; bundle: a page that opens without a server',
      )
        .choices(['raw', 'events', 'csv', 'jsonl', 'arrow', 'parquet', 'bundle'])
        .default('raw'),
    )
    .option('--outdir <dir>', 'folder to write to (default: a folder named after the id of the experiment)')
    .option('--run <name>', 'only this run (repeatable)', collect)
    .option('--tag <name>', 'only this tag (repeatable; not with raw)', collect)
    .option('--superseded', 'tables: include superseded points')
    .option('--logs', 'bundle: include the logs of runs, which may name people and machines')
    .option('--job', 'have the service write the files, which it keeps for a day for other members')
    .option('--guard-formulas', 'csv: put an apostrophe before names that a spreadsheet would run as a formula (=, +, -, @)');
  verb('update', 'change name or description', async () => (await experiments()).update, '<experiment>')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'new description (Markdown)');
  verb(
    'delete',
    'delete an experiment, or runs, tags or steps of it, for everyone; its snapshots stay until you delete them',
    async () => (await import('./verbs/delete.ts')).remove,
    '<experiment>',
  )
    .option('--run <name>', 'only this run, or points of it (repeatable)', collect)
    .option('--tag <name>', 'only points of this tag (repeatable)', collect)
    .option('--steps <from..to>', 'only points of these steps, inclusive; you can omit either end', steps)
    .option('--wait', 'exit when the server has removed everything')
    .option('--yes', 'do not ask');
  const sharing = () => import('./verbs/share.ts');
  verb('share', 'create a link to an experiment, or list its links', async () => (await sharing()).share, '<experiment>')
    .option('--name <name>', 'name of the link, for the workspace')
    .option('--run <name>', 'show only this run (repeatable)', collect)
    .option('--tag <name>', 'show only this tag (repeatable)', collect)
    .option('--frozen', 'show a copy of the current state that never changes')
    .option('--anonymous', 'hide names of people, workspace, files and hosts')
    .option('--logs', 'also show the output of the runs')
    .option('--embed <origin>', 'create an embed for frames on this site, like https://example.org (repeatable)', collect)
    .option('--expires <days>', 'days until the link expires, or never', daysOrNever)
    .option('--list', 'list active links')
    .option('--public', 'let anyone with the address read the experiment')
    .option('--private', 'make the experiment private again');
  verb('unshare', 'revoke a link', async () => (await sharing()).unshare, '<link>');
  verb('snapshot', 'create a permanent copy of an experiment', async () => (await sharing()).snapshot, '<experiment>')
    .option('--name <name>', 'name of the copy')
    .option('--run <name>', 'copy only this run (repeatable)', collect)
    .option('--tag <name>', 'copy only this tag (repeatable)', collect)
    .option('--cite', 'make it citable, with a page, BibTeX and a content digest (so do the following options)')
    .option('--title <text>', 'title of the citation (default: the name of the copy)')
    .option('--author <name>', 'an author, such as "Doe, Jane" (repeatable)', collect)
    .option('--license <license>', 'SPDX identifier such as CC-BY-4.0, or text')
    .option('--date <date>', 'date of the citation, like 2026-11-27 (default: today)');
  verb(
    'cite',
    'show how to cite a snapshot',
    async () => (await import('./verbs/verify-snapshot.ts')).cite,
    '<experiment-or-link>',
  ).addOption(
    new Option('--format <format>', 'text; bibtex; datacite: the metadata of a DOI')
      .choices(['text', 'bibtex', 'datacite'])
      .default('text'),
  );
  verb(
    'tensorboard',
    'show an experiment or a share link in stock TensorBoard on this machine',
    async () => (await import('./verbs/tensorboard.ts')).tensorboard,
    '<experiment-or-link> [arguments...]',
  )
    .usage('[options] <experiment-or-link> [-- arguments for tensorboard]')
    .option('--port <n>', 'TensorBoard port (default: 6006, or a free one)', port)
    .option('--bridge-only', 'start only the bridge, and print how to start TensorBoard');
  verb('probe', 'upload a point and read it back at intervals, with metrics', async () => (await import('./verbs/probe.ts')).probe)
    .option('--every <seconds>', 'time between the starts of two rounds', seconds, 60)
    .option('--timeout <seconds>', 'a round that takes longer fails', seconds, 60)
    .option('--once', 'one round; exit with 1 if it fails')
    .option('--metrics-port <n>', 'serve metrics for Prometheus on this port', port)
    .option('--metrics-host <address>', 'address to serve the metrics on', '127.0.0.1');
  const summaries = () => import('./verbs/summaries.ts');
  const ofExperiment = '<experiment-or-link>';
  const oneRun = ['--run <name>', 'only this run'] as const;
  const someRuns = ['--run <name>', 'a run (repeat 2 to 10 times)', collect] as const;
  verb(
    'describe',
    'describe an experiment in 2 KB: counts, anomalies, main metrics',
    async () => (await summaries()).describe,
    ofExperiment,
  ).option(...oneRun);
  verb('curve', 'show a scalar series as at most 50 of its points', async () => (await summaries()).showCurve, ofExperiment)
    .requiredOption('--run <name>', 'the run')
    .requiredOption('--tag <name>', 'the tag')
    .option('--writer <n>', 'writer to show, if several processes logged the tag at the same time', writer)
    .option('--steps <from..to>', 'only these steps, inclusive; you can omit either end', steps)
    .option('--points <n>', 'at most this many points', curvePoints);
  verb('compare', 'compare the metrics of runs', async () => (await summaries()).compare, ofExperiment)
    .option(...someRuns)
    .option('--tag <name>', 'a tag (repeatable; default: the main ones)', collect);
  verb('diff', 'show the configuration keys that differ between runs', async () => (await summaries()).diff, ofExperiment).option(
    ...someRuns,
  );
  verb('problems', 'show data that could not be read or does not count', async () => (await summaries()).problems, ofExperiment).option(
    ...oneRun,
  );
  verb(
    'mcp',
    'serve read-only tools to an AI agent on stdin and stdout (Model Context Protocol)',
    async () => (await import('./verbs/mcp.ts')).mcp,
    '[link]',
  );
  verb('logs', 'show the output of the processes of a run', async () => (await import('./verbs/logs.ts')).logs, `${ofExperiment} <run>`)
    .option('--tail <n>', 'the last lines of each log', tailLines, 100)
    .option('--rank <n>', 'only the log of this rank', writer)
    .option('--follow', 'show new lines until Ctrl-C');
  verb('serve', 'run the whole service on this machine', async () => (await import('./verbs/serve.ts')).serve);
  verb('open', 'open the page of an experiment', async () => (await experiments()).open, '<experiment>');

  const members = program.command('members').description('manage members: list, invite, change, remove');
  const people = () => import('./verbs/members.ts');
  const role = () =>
    new Option('--role <role>', 'role in the workspace').choices(['owner', 'admin', 'member', 'viewer']).makeOptionMandatory();
  verb('list', 'list members and their roles', async () => (await people()).list, undefined, members);
  verb('invite', 'print a link with which one person can join', async () => (await people()).invite, undefined, members)
    .addOption(role().default('member'))
    .option('--days <n>', 'how long the link is valid', days, 7);
  verb('invitations', 'list open invitations', async () => (await people()).invitations, undefined, members);
  verb('revoke', 'revoke an invitation', async () => (await people()).revoke, '<invitation>', members);
  verb('accept', 'join with a link (read from stdin or a prompt)', async () => (await people()).accept, undefined, members);
  verb('set-role', 'give a member another role', async () => (await people()).setRole, '<person>', members).addOption(role());
  const sure = ['--yes', 'do not ask'] as const;
  verb('remove', 'remove a member with all their tokens', async () => (await people()).remove, '<person>', members).option(...sure);
  verb('leave', 'leave the workspace', async () => (await people()).leave, undefined, members).option(...sure);
  verb('transfer', 'make another member the owner', async () => (await people()).transfer, '<person>', members).option(...sure);

  const workspaces = program.command('workspaces').description('your workspaces: list, create');
  const places = () => import('./verbs/workspaces.ts');
  verb('list', 'list the workspaces you are in', async () => (await places()).list, undefined, workspaces);
  verb('create', 'create a workspace that you own', async () => (await places()).create, '<name>', workspaces);

  const tokens = program.command('tokens').description('access tokens: list, create, revoke');
  const secrets = () => import('./verbs/tokens.ts');
  const forToken = (command: Command): Command =>
    command
      .requiredOption('--name <name>', 'what it is for')
      .addOption(new Option('--scope <scope>', 'a scope (repeatable)').choices(scopes).argParser(collectOneOf(scopes)))
      .option('--experiment <id>', 'limit it to this experiment (repeatable)', collect)
      .option('--expires <days>', 'days until it expires, or never', daysOrNever);
  verb('list', 'your tokens', async () => (await secrets()).list, undefined, tokens).option(
    '--everybody',
    'tokens of all members (admins only)',
  );
  forToken(verb('create', 'create a token and print it once', async () => (await secrets()).create, undefined, tokens));
  verb('revoke', 'revoke a token', async () => (await secrets()).revoke, '<token>', tokens);

  const accounts = program
    .command('service-accounts')
    .description('manage members that are programs: list, create, remove; their tokens and workloads');
  const programs = () => import('./verbs/service-accounts.ts');
  verb('list', 'list service accounts and the workloads that act as them', async () => (await programs()).list, undefined, accounts);
  verb('create', 'create a service account', async () => (await programs()).create, '<name>', accounts).addOption(
    new Option('--role <role>', 'what it may do').choices(['admin', 'member', 'viewer']).default('member'),
  );
  verb('remove', 'remove a service account with all its tokens', async () => (await programs()).remove, '<account>', accounts).option(
    ...sure,
  );
  forToken(
    verb('token', 'create a token of a service account and print it once', async () => (await programs()).token, '<account>', accounts),
  );
  verb(
    'add-workload',
    'let a workload act as a service account with its own OIDC token',
    async () => (await programs()).addWorkload,
    '<account>',
    accounts,
  )
    .requiredOption('--issuer <url>', 'issuer of the tokens')
    .requiredOption('--subject <subject>', 'subject of the workload, like repo:lab/models:*')
    .option('--audience <audience>', 'audience of the tokens (default: the service)')
    .addOption(new Option('--scope <scope>', 'a scope (repeatable)').choices(scopes).argParser(collectOneOf(scopes)));
  verb(
    'remove-workload',
    'stop a workload from acting as a service account',
    async () => (await programs()).removeWorkload,
    '<workload>',
    accounts,
  );

  const person = program.command('person').description('your personal data: export, erase');
  const own = () => import('./verbs/person.ts');
  verb('export', 'write your personal data to a file', async () => (await own()).exportPerson, undefined, person).option(
    '--outfile <file>',
    'file to write to',
    'person.ndjson',
  );
  verb('erase', 'leave every workspace and erase your personal data', async () => (await own()).erase, undefined, person).option(...sure);

  verb('audit', 'show who did what in the workspace', async () => (await import('./verbs/audit.ts')).audit)
    .option('--action <action>', 'only this action, like member.role')
    .option('--person <id>', 'only by this person')
    .option('--experiment <id>', 'only to this experiment')
    .addOption(new Option('--result <result>', 'only this result: done or refused').choices(['done', 'refused']))
    .option('--from <time>', 'only after this time, like 2026-11-22T00:00:00Z')
    .option('--until <time>', 'before')
    .option('--limit <n>', 'lines to show', lines, 50)
    .option('--outfile <file>', 'write everything to a file, one JSON document per line, oldest first');

  rejectRepeated(program);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    exitCode = await explain(error, report);
  }
  return exitCode;
}

/**
 * A single-value flag that is given twice is an error: otherwise the first value would be dropped
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

const scopes = ['read', 'upload', 'manage', 'admin'] as const;

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
