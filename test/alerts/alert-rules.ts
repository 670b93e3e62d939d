import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const component = join(import.meta.dirname, '../../k8s/components/prometheus');

/** The tests of promtool. */
export const ruleTests = join(component, 'rules.test.yaml');

interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly { readonly alert: string }[] }[];
}

/**
 * Writes the rules of the PrometheusRule to `rules.yaml` in a new folder, in Prometheus' own form.
 * Returns the folder, and the alerts' names.
 */
export async function writeRules(): Promise<{ readonly folder: string; readonly alerts: readonly string[] }> {
  const { spec } = parse(await readFile(join(component, 'rules.yaml'), 'utf8')) as { spec: RuleGroups };
  const folder = await mkdtemp(join(tmpdir(), 'plotline-rules-'));
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: spec.groups }));
  return { folder, alerts: spec.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)) };
}
