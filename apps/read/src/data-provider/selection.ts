import { requireExperimentId } from '#experiments';
import { type ExperimentId, Problem, type RunName, type TagName, type View } from '#model';
import type { Downsample, PluginFilter, RunTagFilter } from '#protocols';

/** The common fields of all requests for series. */
export interface SelectingRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
}

/**
 * Selects series of the plugin, which is required. A null list selects everything, and an empty
 * list nothing.
 */
export interface PluginSelection {
  readonly experimentId: ExperimentId;
  readonly plugin: string;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  readonly view: View | null;
}

/**
 * The series that a request selects: an absent filter restricts nothing, an empty filter excludes
 * everything (protocol reference C.2).
 */
export function selectionOf({ experimentId, pluginFilter, runTagFilter }: SelectingRequest, view: View | null): PluginSelection {
  const plugin = pluginFilter?.pluginName ?? '';
  if (plugin === '') throw new Problem('bad-request', 'The request has no plugin: plugin_filter.plugin_name is empty.');
  if (!canBeStored(plugin)) throw new Problem('bad-request', 'The plugin name contains NUL.');
  return {
    experimentId: requireExperimentId(experimentId),
    plugin,
    runs: namesOf(runTagFilter?.runs),
    tags: namesOf(runTagFilter?.tags),
    view,
  };
}

function namesOf(filter: { readonly names: readonly string[] } | null | undefined): readonly string[] | null {
  // A name that cannot be stored matches nothing.
  return filter ? filter.names.filter(canBeStored) : null;
}

function canBeStored(name: string): boolean {
  return !name.includes('\0');
}

/** No series has more points than this; a larger number has the same effect. */
const allPoints = 2 ** 31 - 1;

/** The requested number of points per series (protocol reference C.2). */
export function pointsOf({ downsample }: { readonly downsample: Downsample | null }): number {
  if (!downsample) throw new Problem('bad-request', 'The request does not set a number of points: downsample is missing.');
  const { numPoints } = downsample;
  if (numPoints < 0n) throw new Problem('bad-request', `downsample.num_points is ${numPoints}, but must be at least 0.`);
  return numPoints > BigInt(allPoints) ? allPoints : Number(numPoints);
}
