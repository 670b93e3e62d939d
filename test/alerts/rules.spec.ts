import { execFile } from 'node:child_process';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith, prometheusProgram } from '#testing';
import { ruleTests, writeRules } from './alert-rules.ts';

const promtool = async (...args: string[]): Promise<{ code: number; output: string }> => {
  const run = promisify(execFile)(prometheusProgram('promtool'), args);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout + error.stderr }),
  );
};

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly object[] }[];
  }[];
}

describeWith(['prometheus'], 'the alert rules of k8s/components/prometheus', () => {
  let rules: Awaited<ReturnType<typeof writeRules>>;

  beforeAll(async () => {
    rules = await writeRules();
    await copyFile(ruleTests, join(rules.folder, 'rules.test.yaml'));
  });
  afterAll(() => rm(rules.folder, { recursive: true }));

  it('are valid', async () => {
    expect(await promtool('check', 'rules', '--lint=all', '--lint-fatal', join(rules.folder, 'rules.yaml'))).toMatchObject({ code: 0 });
  });

  it('fire and stay silent as rules.test.yaml says', async () => {
    const { code, output } = await promtool('test', 'rules', join(rules.folder, 'rules.test.yaml'));
    expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('each have a test in which they fire, and one in which they do not', async () => {
    const { tests } = parse(await readFile(ruleTests, 'utf8')) as RuleTests;
    const judged = tests.flatMap((test) => test.alert_rule_test);
    const named = (fires: boolean): string[] =>
      [...new Set(judged.filter(({ exp_alerts: alerts = [] }) => alerts.length > 0 === fires).map(({ alertname }) => alertname))].sort();
    expect(named(true)).toEqual(rules.alerts.toSorted());
    expect(named(false)).toEqual(rules.alerts.toSorted());
  });
});
