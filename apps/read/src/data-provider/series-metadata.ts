import type { DataClass } from '#model';
import { summaryMetadataMessage } from '#protocols';
import type { ListedSeries } from '#series';

/**
 * The metadata of a series in the three lists: the metadata of its first value, with a data class
 * (protocol reference A.6).
 */
export function seriesMetadata(
  dataClass: DataClass,
  plugin: string,
  { maxStep, maxWallTime, pluginContent, displayName, description }: ListedSeries,
) {
  return { maxStep, maxWallTime, summaryMetadata: summaryMetadataMessage({ plugin, pluginContent, displayName, description, dataClass }) };
}
