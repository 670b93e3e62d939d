import { Option } from 'commander';
import { collect, connections } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** Adds verbs that send logs to the service. */
export function addUploads(commands: Commands): void {
  commands
    .verb('upload', 'upload a log directory and keep uploading while it grows', async () => (await import('../verbs/upload.ts')).upload)
    .requiredOption('--logdir <dir>', 'folder that contains the runs')
    .option('--name <name>', 'name of the experiment')
    .option('--description <text>', 'description of the experiment (Markdown)')
    .option('--experiment <id>', 'upload to this experiment')
    .option('--new', 'start a new experiment even if this directory was uploaded before')
    .option('--include <glob>', 'only matching files or folders (repeatable)', collect)
    .option('--exclude <glob>', 'exclude matching files or folders (repeatable)', collect)
    .option('--follow-links', 'follow links that lead out of the log directory')
    .option('--one-shot', 'exit when all current data is uploaded and visible')
    .option('--dry-run', 'show what would be uploaded, without uploading')
    .option('--connections <n>', 'connections to the server; auto: 4 to 8, depending on the network', connections, 4)
    .option('--no-wait', 'do not wait until the points are visible')
    .addOption(
      new Option('--compress <how>', 'compress uploads; auto: unless the server is on this machine')
        .choices(['auto', 'columns', 'zstd', 'none'])
        .default('auto'),
    );

  commands
    .verb(
      'import',
      'upload logs of other tools: tables, W&B, MLflow, Neptune, Trackio',
      async () => (await import('../verbs/import.ts')).importLogs,
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
    .option('--outdir <dir>', 'folder for the event files (default: a folder that later imports of the same path reuse)')
    .option('--no-upload', 'only write the event files to --outdir')
    .option('--run <name>', 'tables without a run column: name of the run (default: the name of the file)')
    .option('--run-column <name>', 'tables: column with the run')
    .option('--tag-column <name>', 'tables: column with the tag')
    .option('--step-column <name>', 'tables: column with the step (default: points are counted)')
    .option('--time-column <name>', 'tables: column with the time, a number or a date')
    .option('--value-column <name>', 'tables: column with the value')
    .option('--writer-column <name>', 'tables: column that distinguishes processes that logged a run at the same time')
    .addOption(new Option('--time-unit <unit>', 'tables: unit of numeric times').choices(['s', 'ms', 'us', 'ns']).default('s'))
    .option('--allow-restarts', 'tables: treat a decreasing step as a restart of the run; later points supersede earlier points');
}
