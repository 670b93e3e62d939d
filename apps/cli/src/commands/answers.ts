import { collect, curvePoints, steps, tailLines, writer } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** Adds commands that show what runs logged, in short, exact answers for people and AI agents. */
export function addAnswers(commands: Commands): void {
  const summaries = () => import('../verbs/summaries.ts');
  const ofExperiment = '<experiment-or-link>';
  const oneRun = ['--run <name>', 'only this run'] as const;
  const someRuns = ['--run <name>', 'a run to compare (specify 2 to 10)', collect] as const;
  commands
    .verb(
      'describe',
      'describe an experiment in 2 KB: counts, anomalies, main metrics',
      async () => (await summaries()).describe,
      ofExperiment,
    )
    .option(...oneRun);
  commands
    .verb('curve', 'show at most 50 points of a scalar series', async () => (await summaries()).showCurve, ofExperiment)
    .requiredOption('--run <name>', 'the run')
    .requiredOption('--tag <name>', 'the tag')
    .option('--writer <n>', 'writer to show, if several processes logged the tag at the same time', writer)
    .option('--steps <from..to>', 'only these steps, inclusive; you can omit either end', steps)
    .option('--points <n>', 'maximum number of points', curvePoints);
  commands
    .verb('compare', 'compare the metrics of runs', async () => (await summaries()).compare, ofExperiment)
    .option(...someRuns)
    .option('--tag <name>', 'a tag to compare (repeatable; default: the main tags)', collect);
  commands
    .verb('diff', 'show the configuration keys that differ between runs', async () => (await summaries()).diff, ofExperiment)
    .option(...someRuns);
  commands
    .verb('problems', 'show unreadable data, and points that do not count', async () => (await summaries()).problems, ofExperiment)
    .option(...oneRun);
  commands.verb(
    'mcp',
    'serve read-only tools to an AI agent on stdin and stdout (Model Context Protocol)',
    async () => (await import('../verbs/mcp.ts')).mcp,
    '[link]',
  );
  commands
    .verb('logs', "show the output of a run's processes", async () => (await import('../verbs/logs.ts')).logs, `${ofExperiment} <run>`)
    .option('--tail <n>', 'how many of the last lines of each log to show', tailLines, 100)
    .option('--rank <n>', 'only the log of this rank', writer)
    .option('--follow', 'keep showing new lines until Ctrl-C');
}
