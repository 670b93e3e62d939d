import { z } from 'zod';
import { dataClasses } from '#model';
import type { SeriesSummary } from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { exactFloat, exactInteger } from '../json.ts';

/** A float64: a number, or `NaN`, `Infinity`, `-Infinity`. */
export const floatJson = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);

/** A series in responses. */
export const seriesJson = z.object({
  run: z.string(),
  tag: z.string(),
  writer: z
    .int()
    .optional()
    .meta({ description: 'The number of the writer, starting at 0, if several writers logged this tag of the run at the same time.' }),
  data_class: z.enum(dataClasses),
  plugin: z.string(),
  display_name: z.string(),
  description: z.string(),
  listed: z.boolean().meta({
    description: 'False for tags without a data class, and for twins, which contain the values that do not fit the class of their series.',
  }),
  points: integerJson,
  superseded_points: integerJson,
  invalid_points: integerJson,
  mismatched_points: integerJson,
  rounded_points: integerJson,
  first_step: integerJson.nullable(),
  last_step: integerJson.nullable(),
  last_wall_time: floatJson.nullable(),
  min: floatJson.nullable(),
  max: floatJson.nullable(),
  last: floatJson.nullable(),
  nan_count: integerJson.nullable(),
  plugin_content: z.string().optional().meta({ description: "The plugin's bytes as base64. Present with `plugin_content=true`." }),
  max_length: integerJson.nullable().meta({ description: 'Blob sequences: the largest number of blobs in one point.' }),
});

/**
 * Serializes a series; fields that do not apply to its data class, or lack an effective point, are
 * null. `min` and `max` skip NaN, so a series of only NaN has none. `ofSeveral`: whether the list
 * has several writers.
 */
export function toSeriesJson(series: SeriesSummary, ofSeveral: boolean, withContent = false): Record<string, unknown> {
  const scalar = series.dataClass === 'scalar';
  return {
    run: series.run,
    tag: series.tag,
    ...(ofSeveral && { writer: series.writer }),
    data_class: series.dataClass,
    plugin: series.plugin,
    ...(withContent && { plugin_content: series.pluginContent.toString('base64') }),
    display_name: series.displayName,
    description: series.description,
    listed: series.listed,
    points: exactInteger(series.points),
    superseded_points: exactInteger(series.supersededPoints),
    invalid_points: exactInteger(series.invalidPoints),
    mismatched_points: exactInteger(series.mismatchedPoints),
    rounded_points: exactInteger(series.roundedPoints),
    first_step: exactInteger(series.firstStep),
    last_step: exactInteger(series.lastStep),
    last_wall_time: exactFloat(series.lastWallTime),
    min: scalar ? exactFloat(series.min) : null,
    max: scalar ? exactFloat(series.max) : null,
    last: scalar ? exactFloat(series.last) : null,
    nan_count: scalar ? exactInteger(series.nanCount) : null,
    max_length: series.dataClass === 'blob_sequence' ? exactInteger(series.maxLength) : null,
  };
}
