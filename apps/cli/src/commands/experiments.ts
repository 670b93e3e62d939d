import { Option } from 'commander';
import { collect, steps } from '../flag-values.ts';
import type { Commands } from './commands.ts';
import { sure } from './shared-flags.ts';

/** Adds verbs about a whole experiment. */
export function addExperiments(commands: Commands): void {
  const experiments = () => import('../verbs/experiments.ts');
  commands
    .verb('list', 'list experiments', async () => (await experiments()).list)
    .option('--filter <expression>', 'only experiments that match')
    .option('--order-by <fields>', 'sort order');
  commands
    .verb('show', 'show an experiment with its runs and series', async () => (await experiments()).show, '<experiment>')
    .option('--filter <expression>', 'only runs that match, such as "config.lr = 0.01"')
    .option('--order-by <fields>', 'sort order of the runs');
  commands
    .verb('status', 'show ingest progress and unreadable data', async () => (await import('../verbs/status.ts')).status, '[experiment]')
    .option('--logdir <dir>', 'use the experiment that this folder was uploaded to, unless an experiment is specified', '.');
  commands
    .verb(
      'verify',
      'compare what the service stored with the local files',
      async () => (await import('../verbs/verify.ts')).verify,
      '[experiment]',
    )
    .option('--logdir <dir>', 'folder that contains the runs', '.')
    .option('--experiment <id>', 'the experiment (default: the experiment that the folder was uploaded to)')
    .option('--include <glob>', 'only matching files or folders (repeatable)', collect)
    .option('--exclude <glob>', 'exclude matching files or folders (repeatable)', collect)
    .option('--follow-links', 'follow links that lead out of the log directory')
    .option(
      '--snapshot [digest]',
      'check the content digest of a citable snapshot: <experiment> on the service or, if it is omitted, the exported event files in --logdir, which needs no server. Optionally specify the expected digest (default: the digest in the citation)',
    )
    .option(
      '--repair',
      'first have the service apply its data rules to all stored points again; repairs experiments that predate a rule change',
    );
  commands
    .verb(
      'export',
      'write an experiment to files: its event files, its scalars as a table, or a page that opens without a server (bundle, also for reports)',
      async () => (await import('../verbs/export.ts')).exportExperiment,
      '<experiment>',
    )
    .addOption(
      new Option(
        '--format <format>',
        'raw: the event files as uploaded; events: new event files with every effective value, without superseded values; csv, jsonl, arrow, parquet: one long table; bundle: a page that opens without a server',
      )
        .choices(['raw', 'events', 'csv', 'jsonl', 'arrow', 'parquet', 'bundle'])
        .default('raw'),
    )
    .option('--outdir <dir>', 'folder to write to (default: a folder named after the id)')
    .option('--run <name>', 'only this run (repeatable)', collect)
    .option('--tag <name>', 'only this tag (repeatable; not with raw)', collect)
    .option('--superseded', 'tables: include superseded points')
    .option('--logs', 'bundle: include the logs of runs, which may name people and machines')
    .option('--job', 'have the service write the files; it keeps them for a day for other members')
    .option('--guard-formulas', 'csv: put an apostrophe before names that a spreadsheet would run as a formula (=, +, -, @)');
  commands
    .verb('update', 'change name or description', async () => (await experiments()).update, '<experiment>')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'new description (Markdown)');
  commands
    .verb(
      'delete',
      'delete an experiment, or some of its runs, tags or steps, for everyone; its snapshots are kept until you delete them',
      async () => (await import('../verbs/delete.ts')).remove,
      '<experiment>',
    )
    .option('--run <name>', 'only this run or, with --tag or --steps, its points (repeatable)', collect)
    .option('--tag <name>', 'only points of this tag (repeatable)', collect)
    .option('--steps <from..to>', 'only points at these steps, inclusive; you can omit either end', steps)
    .option('--wait', 'exit when the server has removed everything')
    .option(...sure);
}
