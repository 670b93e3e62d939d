import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { catalog } from './catalog.ts';
import { degraded } from './degraded/index.ts';
import { type Scenario, scenarioLinks } from './scenario.ts';
import { Stack } from './stack.ts';

const usage = `npm run chaos -- [--faults N] [--seed S] [--minutes M]   a long run: all faults, mixed by the seed
npm run chaos -- --test NUMBER|all [--seed S] [--short]   tests of docs/reliability.md, e.g. 1,11, or all of them
npm run chaos -- --list                                   the tests`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs scenarios one after another on one system; returns whether all of them pass. */
async function runScenarios(scenarios: readonly Scenario[], seed: number, short: boolean): Promise<boolean> {
  const stack = await Stack.start({ seed, links: scenarioLinks });
  let holds = true;
  try {
    for (const { test, title, counts, run } of scenarios) {
      const began = performance.now();
      const count = short ? counts.short : counts.full;
      const { figures, violations, unmet } = await run({ stack, seed, count });
      const passed = violations.length + unmet.length === 0;
      holds &&= passed;
      say(
        `${passed ? 'holds' : 'FAILS'}: test ${test}, ${title} (× ${count}, seed ${seed}, ${((performance.now() - began) / 1_000).toFixed(0)} s)`,
      );
      for (const line of figures) say(`  ${line}`);
      for (const { kind, detail } of violations.slice(0, 20)) say(`  VIOLATION ${kind}: ${detail}`);
      if (violations.length > 20) say(`  and ${violations.length - 20} violations more`);
      for (const line of unmet) say(`  UNMET: ${line}`);
    }
  } finally {
    await stack.dispose();
  }
  return holds;
}

/** Runs scenarios that start their own system; returns whether all of them pass. */
async function runDegraded(test: string, seed: number, short: boolean): Promise<boolean> {
  let holds = true;
  for (const scenario of degraded.filter((candidate) => isWanted(test, String(candidate.test)))) {
    const began = performance.now();
    say(`test ${scenario.test}, ${scenario.name} (seed ${seed})`);
    const { passed } = await scenario.run({ seed, full: !short, say });
    holds &&= passed;
    say(
      `${passed ? 'holds' : 'FAILS'}: test ${scenario.test}, ${scenario.name} (seed ${seed}, ${((performance.now() - began) / 1_000).toFixed(0)} s)`,
    );
  }
  return holds;
}

/** Whether a scenario covers one of the requested tests: `all`, or numbers separated by commas. */
function isWanted(asked: string, shown: string): boolean {
  const tests = shown.split(', ');
  return asked === 'all' || asked.split(',').some((test) => tests.includes(test.trim()));
}

async function runTest(test: string, seed: number, short: boolean): Promise<number> {
  const scenarios = catalog.filter((scenario) => isWanted(test, scenario.test));
  const others = degraded.some((scenario) => isWanted(test, String(scenario.test)));
  if (scenarios.length === 0 && !others) {
    process.stderr.write(`There is no test ${test}.\n${usage}\n`);
    return 2;
  }
  const holds = scenarios.length === 0 || (await runScenarios(scenarios, seed, short));
  return (await runDegraded(test, seed, short)) && holds ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      faults: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      test: { type: 'string' },
      short: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(usage);
    return 0;
  }
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  if (values.list) {
    for (const { test, title, counts } of catalog) say(`${test.padEnd(8)} ${title} (× ${counts.full}, short: × ${counts.short})`);
    for (const { test, name } of degraded) say(`${String(test).padEnd(8)} ${name}`);
    return 0;
  }
  if (values.test !== undefined) return runTest(values.test, seed, values.short);
  const faults = Number(values.faults ?? 1_000);
  const { total, check, report } = await runCampaign({ seed, faults, minutes: Number(values.minutes ?? 60), say });
  say(report);
  const enough = total >= faults;
  if (!enough) say(`only ${total} of ${faults} faults were observed`);
  return check.violations.length === 0 && enough ? 0 : 1;
}

/** Stops everything that was started. */
async function stopAll(): Promise<never> {
  say('interrupted: stopping all processes');
  for (const stack of Stack.running) await stack.dispose();
  process.exit(130);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll());
process.exit(await main());
