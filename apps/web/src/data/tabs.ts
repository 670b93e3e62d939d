import { type Tab, tabs } from '#charts';
import type { RunJson, TagJson } from '../api/types.ts';

export const tabNames: Readonly<Record<Tab, string>> = {
  scalars: 'Scalars',
  runs: 'Runs',
  histograms: 'Distributions',
  images: 'Images',
  audio: 'Audio',
  text: 'Text',
  pr_curves: 'PR curves',
  meshes: 'Meshes',
  hparams: 'HParams',
  graphs: 'Graph',
  system: 'System',
  logs: 'Logs',
  other: 'Other',
};

/** Plugins with blobs that form the graph. */
const graphPlugins = ['graphs', 'graph_keras_model', 'graph_run_metadata', 'graph_run_metadata_graph', 'graph_tagged_run_metadata'];

/** A tag's tab. Hyperparameters come from runs, not from tags; logs come from neither. */
export function tabOf({ tag, plugin, data_class: dataClass }: TagJson): Tab {
  if (dataClass === 'scalar') return isSystemTag(tag) ? 'system' : 'scalars';
  if (graphPlugins.includes(plugin)) return 'graphs';
  if (dataClass === 'tensor' && (plugin === 'histograms' || plugin === 'text' || plugin === 'pr_curves' || plugin === 'hparams'))
    return plugin;
  if (dataClass === 'tensor' && plugin === 'mesh') return 'meshes';
  if (dataClass === 'blob_sequence' && (plugin === 'images' || plugin === 'audio')) return plugin;
  return 'other';
}

/** Whether a tag is a machine measurement, as the Python client records it. */
export function isSystemTag(tag: string): boolean {
  return tag.startsWith('system/');
}

/**
 * The kinds of data in an experiment; scalars if it has no data yet. `hasLogs`: whether its runs
 * have logs. `hasUnlisted`: whether they have tensors that lists of tags omit.
 */
export function tabsOf(tags: readonly TagJson[], runs: readonly RunJson[], hasLogs = false, hasUnlisted = false): Tab[] {
  const found = new Set<Tab>(tags.map(tabOf));
  if (hasUnlisted) found.add('other');
  found.delete('hparams');
  if (runs.some(({ hparams }) => Object.keys(hparams).length > 0)) found.add('hparams');
  if (found.size > 0 && runs.length > 1) found.add('runs');
  if (found.size > 0 && hasLogs) found.add('logs');
  return found.size === 0 ? ['scalars'] : tabs.filter((tab) => found.has(tab));
}
