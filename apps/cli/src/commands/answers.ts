import { collect, curvePoints, steps, tailLines, writer } from '../flag-values.ts';
import type { Commands } from './commands.ts';

/** What runs logged, in short exact answers for people and AI agents. */
export function addAnswers(commands: Commands): void {
  const summaries = () => import('../verbs/summaries.ts');
  const ofExperiment = '<experiment-or-link>';
  const oneRun = ['--run <name>', 'only this run'] as const;
  const someRuns = ['--run <name>', 'a run (repeat 2 to 10 times)', collect] as const;
  commands
    .verb(
      'describe',
      'describe an experiment in 2 KB: counts, anomalies, main metrics',
      async () => (await summaries()).describe,
      ofExperiment,
    )
    .option(...oneRun);
  commands
    .verb('curve', 'show a scalar series as at most 50 of its points', async () => (await summaries()).showCurve, ofExperiment)
    .requiredOption('--run <name>', 'the run')
    .requiredOption('--tag <name>', 'the tag')
    .option('--writer <n>', 'writer to show, if several processes logged the tag at the same time', writer)
    .option('--steps <from..to>', 'only these steps, inclusive; you can omit either end', steps)
    .option('--points <n>', 'at most this many points', curvePoints);
  commands
    .verb('compare', 'compare the metrics of runs', async () => (await summaries()).compare, ofExperiment)
    .option(...someRuns)
    .option('--tag <name>', 'a tag (repeatable; default: the main ones)', collect);
  commands
    .verb('diff', 'show the configuration keys that differ between runs', async () => (await summaries()).diff, ofExperiment)
    .option(...someRuns);
  commands
    .verb('problems', 'show data that could not be read or does not count', async () => (await summaries()).problems, ofExperiment)
    .option(...oneRun);
  commands.verb(
    'mcp',
    'serve read-only tools to an AI agent on stdin and stdout (Model Context Protocol)',
    async () => (await import('../verbs/mcp.ts')).mcp,
    '[link]',
  );
  commands
    .verb('logs', 'show the output of the processes of a run', async () => (await import('../verbs/logs.ts')).logs, `${ofExperiment} <run>`)
    .option('--tail <n>', 'the last lines of each log', tailLines, 100)
    .option('--rank <n>', 'only the log of this rank', writer)
    .option('--follow', 'show new lines until Ctrl-C');
}
