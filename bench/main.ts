import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchContext } from './lib/bench.ts';
import { access } from './access.bench.ts';
import { chart } from './chart.bench.ts';
import { citus } from './citus.bench.ts';
import { columns } from './columns.bench.ts';
import { frontier } from './frontier.bench.ts';
import { frozen } from './frozen.bench.ts';
import { live } from './live.bench.ts';
import { ingest } from './ingest.bench.ts';
import { operate } from './operate.bench.ts';
import { overload } from './overload.bench.ts';
import { parse } from './parse.bench.ts';
import { progress } from './progress.bench.ts';
import { python } from './python.bench.ts';
import { rollups } from './rollups.bench.ts';
import { exitCodeOf, toJson, toTable } from './lib/report.ts';
import { small } from './small.bench.ts';
import { snapshot } from './snapshot.bench.ts';
import { stock } from './stock.bench.ts';
import { storage } from './storage.bench.ts';
import { tails } from './tails.bench.ts';
import { transport } from './transport.bench.ts';
import { web } from './web.bench.ts';

/**
 * `bench` lists the benches; `bench NAME [--json] [--check] [flags]` runs one. Exit status 1: the
 * bench failed, or missed a bound with `--check`. Exit status 2: wrong usage.
 */
const benches: readonly Bench[] = [
  ingest,
  storage,
  chart,
  parse,
  columns,
  progress,
  frontier,
  operate,
  overload,
  live,
  frozen,
  rollups,
  tails,
  access,
  web,
  small,
  stock,
  python,
  snapshot,
  transport,
  citus,
];

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = 1;
}

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === '--help') {
    process.stdout.write(list());
    return 0;
  }
  const bench = benches.find((known) => known.name === name);
  if (!bench) {
    process.stderr.write(`There is no bench "${name}".\n${list()}`);
    return 2;
  }
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseFlags(bench, args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage(bench)}`);
    return 2;
  }
  const load = loadavg()[0]!;
  if (load > cpus().length / 4)
    process.stderr.write(`The machine is busy (load ${load.toFixed(1)}): trust ratios and processor time, not seconds.\n`);
  const report = await bench.run(contextOf(bench, values));
  process.stdout.write(`${values['json'] ? toJson(report) : toTable(report)}\n`);
  return exitCodeOf(report, values['check'] === true);
}

function parseFlags(bench: Bench, args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' }, check: { type: 'boolean' } };
  for (const [flag, { default: value }] of Object.entries(bench.flags))
    options[flag] = { type: typeof value === 'number' ? 'string' : 'boolean' };
  const { values } = parseArgs({ args: [...args], options, allowNegative: true });
  for (const [flag, { default: value }] of Object.entries(bench.flags)) {
    const given = values[flag];
    if (typeof value === 'number' && given !== undefined && !(Number(given) >= 0))
      throw new Error(`--${flag} takes a number, not ${String(given)}`);
  }
  return values;
}

function contextOf(bench: Bench, values: Record<string, string | boolean | undefined>): BenchContext {
  const value = (flag: string): string | number | boolean => {
    const declared = bench.flags[flag];
    if (!declared) throw new Error(`bench ${bench.name} has no flag ${flag}`);
    return values[flag] ?? declared.default;
  };
  return {
    number: (flag) => Number(value(flag)),
    on: (flag) => value(flag) === true,
    say: (line) => process.stderr.write(`${line}\n`),
  };
}

function list(): string {
  return `npm run -s bench -- NAME [--json] [--check] [flags]\n\n${benches.map(usage).join('\n')}`;
}

function usage(bench: Bench): string {
  const flags = Object.entries(bench.flags).map(
    ([flag, { default: value, help }]) => `    --${flag.padEnd(18)} ${help} (${String(value)})\n`,
  );
  return `${bench.name}: ${bench.summary}\n${flags.join('')}`;
}
