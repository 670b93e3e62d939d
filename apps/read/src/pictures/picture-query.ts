import { z } from 'zod';
import { scaleKinds, writersForms, xAxes } from '#charts';
import { anyOf } from '../query-schemas.ts';

const pixels = (max: number, byDefault: number) =>
  z
    .string()
    .max(5)
    .regex(/^[0-9]{1,5}$/, 'should be a number of pixels')
    .transform((text) => Math.min(max, Math.max(160, Number(text))))
    .default(byDefault);
const number = z
  .string()
  .max(100)
  .refine((text) => text.trim() !== '' && Number.isFinite(Number(text)), 'should be a number')
  .transform(Number);

/** Maximum pixels of a PNG: each takes four bytes while it is drawn. */
const maxPixels = 16_000_000;

/** The drawing options of charts, with the names of the page's URL parameters. */
export const drawingFields = {
  smoothing: number.pipe(z.number().min(0).max(0.999)).default(0.6),
  xScale: z.enum(scaleKinds).default('linear'),
  yScale: z.enum(scaleKinds).default('linear'),
  ignoreOutliers: z.enum(['true', 'false']).default('false'),
  writers: z.enum(writersForms).default('lines'),
};

/** Parameters of the page that do not affect a chart of one tag. */
const pageAlone =
  'tab tagFilter pinnedCards card table fold step histograms graph open runSort tooltipSort embed sort column differ pin group columnWidth unfold panel stalledAfter cardSize order wide plotX plotY plotColor plotXScale plotYScale plotAxis plotAxisScale importance'.split(
    ' ',
  );

/**
 * Removes parameters that only the page uses, so that the query of the page's URL can be reused.
 */
export function withoutPage(parameters: unknown): unknown {
  const entries = Object.entries(parameters ?? {}).filter(([name]) => !pageAlone.includes(name));
  return Object.fromEntries(entries);
}

/**
 * Parameters of a chart picture. Parameters that the page also has use the same names. Page-only
 * parameters that would change the chart, such as regular expressions, are rejected.
 */
export const pictureQuery = z
  .strictObject({
    run: anyOf,
    hide: anyOf,
    archived: z.enum(['true', 'false']).default('false'),
    ...drawingFields,
    xAxis: z.enum(xAxes).default('step'),
    from: number.optional(),
    to: number.optional(),
    y: anyOf.meta({
      description: "The y range of a tag's chart, as `0.1..0.5:TAG`; ignored if `TAG` is not the tag of this chart.",
    }),
    width: pixels(2_000, 720),
    height: pixels(2_000, 440),
    guardFormulas: z
      .enum(['true', 'false'])
      .default('false')
      .meta({ description: 'CSV: put an apostrophe before names that a spreadsheet would run as a formula.' }),
    theme: z.enum(['light', 'dark']).default('light'),
    scale: z.enum(['1', '2', '3']).transform(Number).default(2).meta({ description: 'PNG pixels per pixel of `width` and `height`.' }),
  })
  .refine(({ width, height, scale }) => width * height * scale ** 2 <= maxPixels, {
    message: `is too large for this width and height: a PNG is limited to ${maxPixels} pixels`,
    path: ['scale'],
  });
export type PictureQuery = z.output<typeof pictureQuery>;
