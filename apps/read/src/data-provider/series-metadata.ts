import type { DataClass } from '#model';
import { summaryMetadataMessage } from '#protocols';
import type { ListedSeries } from '#series';

/** What the three lists say of a series. The metadata are those of the first value, with a data class (protocol reference A.6). */
export function seriesMetadata(
  dataClass: DataClass,
  plugin: string,
  { maxStep, maxWallTime, pluginContent, displayName, description }: ListedSeries,
) {
  return { maxStep, maxWallTime, summaryMetadata: summaryMetadataMessage({ plugin, pluginContent, displayName, description, dataClass }) };
}
