import { labelWidth, leftInset, type Tick, valueTicks, xTicks } from './axis-ticks.ts';
import type { ChartLine } from './chart-lines.ts';
import { plotInsets } from './chart-look.ts';
import type { ChartScales } from './chart-scales.ts';
import { dashes, palettes, type RunStyle, type Theme } from './run-colors.ts';
import { elideNames } from './elide-names.ts';
import { drawLines, upright } from './svg-lines.ts';
import { escapeXml, round } from './svg-text.ts';
import { unplacedText } from './unplaced-text.ts';
import type { View } from './view.ts';

/** A chart as a separate image. */
export interface PictureOptions {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

const paper: Readonly<Record<Theme, { ground: string; text: string; dim: string; grid: string }>> = {
  light: { ground: '#ffffff', text: '#1c1b1a', dim: '#6b6863', grid: '#e8e5df' },
  dark: { ground: '#121211', text: '#e4e2dd', dim: '#98948c', grid: '#2c2b28' },
};

const font = `font-family="Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"`;
const legendLine = 18;
const maxLegendLines = 12;

/** The time zone label, and its distance from the left edge. */
const zone = 'UTC';
const zonePlace = 12;

/**
 * A chart as an SVG document: title, axes, lines and legend. If `scales` is null, there is nothing
 * to show, and the image shows a message.
 */
export function svgChart(
  lines: readonly ChartLine[],
  scales: ChartScales | null,
  styles: ReadonlyMap<string, RunStyle>,
  view: Pick<View, 'xAxis'>,
  { title, width, height, theme }: PictureOptions,
): string {
  const colors = paper[theme];
  const shown = lines.slice(0, maxLegendLines);
  const legendHeight =
    lines.length > 1 || shown.length < lines.length ? (shown.length + (lines.length > shown.length ? 1 : 0)) * legendLine + 8 : 0;
  const top = 36;
  const left = leftInset(scales ? valueTicks(scales.y).map(({ label }) => label) : []);
  const wide = Math.max(1, width - left - plotInsets.right);
  const tall = Math.max(1, height - top - plotInsets.bottom - legendHeight);
  const color = (run: string): string => palettes[theme][styles.get(run)?.color ?? 0]!;
  const dash = (run: string): string => {
    const pattern = dashes[styles.get(run)?.dash ?? 0] ?? [];
    return pattern.length > 0 ? ` stroke-dasharray="${pattern.join(' ')}"` : '';
  };
  const body = scales
    ? plotOf(lines, scales, view, {
        left,
        wide,
        tall,
        top,
        colors,
        style: (run) => `stroke="${color(run)}" fill="${color(run)}"${dash(run)}`,
      })
    : `<text x="${width / 2}" y="${top + tall / 2}" text-anchor="middle" fill="${colors.dim}">${escapeXml(unplacedText(lines))}</text>`;
  const legend = legendHeight === 0 ? '' : legendOf(lines, shown, { y: top + tall + plotInsets.bottom + 8, width, colors, color, dash });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}" ${font} font-size="11">
<rect width="${width}" height="${height}" fill="${colors.ground}"/>
<text x="12" y="22" font-size="13" font-weight="600" fill="${colors.text}">${escapeXml(elideNames([title], Math.floor(width / 7)).get(title)!)}</text>
${body}${legend}</svg>
`;
}

interface PlotPlace {
  readonly left: number;
  readonly wide: number;
  readonly tall: number;
  readonly top: number;
  readonly colors: (typeof paper)[Theme];
  readonly style: (run: string) => string;
}

function plotOf(
  lines: readonly ChartLine[],
  scales: ChartScales,
  view: Pick<View, 'xAxis'>,
  { left, wide, tall, top, colors, style }: PlotPlace,
): string {
  const isWall = view.xAxis === 'wall';
  // Time labels start after the time zone label
  const space = { wide, left: isWall ? left - zonePlace - labelWidth(zone) - 8 : left, right: plotInsets.right };
  const x = xTicks(view.xAxis, scales.x, wide > 600 ? 8 : 5, () => 0, space);
  const y = valueTicks(scales.y);
  const text = (tick: Tick, at: string): string => `<text ${at} fill="${colors.dim}">${escapeXml(tick.label)}</text>`;
  return [
    `<path d="${y.map(({ value }) => `M${left} ${round(top + upright(scales.y, value, tall))}h${wide}`).join('')}" stroke="${colors.grid}" fill="none"/>`,
    ...y.map((tick) => text(tick, `x="${left - 8}" y="${round(top + upright(scales.y, tick.value, tall) + 4)}" text-anchor="end"`)),
    ...x.map((tick) => text(tick, `x="${round(left + scales.x.position(tick.value) * wide)}" y="${top + tall + 16}" text-anchor="middle"`)),
    ...(isWall ? [`<text x="${zonePlace}" y="${top + tall + 16}" fill="${colors.dim}">${zone}</text>`] : []),
    `<svg x="${left}" y="${top}" width="${wide}" height="${tall}" overflow="hidden">${drawLines(lines, scales, wide, tall, style)}</svg>`,
    '',
  ].join('\n');
}

interface LegendPlace {
  readonly y: number;
  readonly width: number;
  readonly colors: (typeof paper)[Theme];
  readonly color: (run: string) => string;
  readonly dash: (run: string) => string;
}

function legendOf(lines: readonly ChartLine[], shown: readonly ChartLine[], { y, width, colors, color, dash }: LegendPlace): string {
  const names = elideNames(
    shown.map(({ run }) => run),
    Math.floor((width - 80) / 6.2),
  );
  const rows = shown.map(({ run }, i) => {
    const at = y + i * legendLine;
    return `<path d="M${plotInsets.left} ${at}h16" stroke="${color(run)}" stroke-width="2"${dash(run)}/><text x="${plotInsets.left + 24}" y="${at + 4}" fill="${colors.text}">${escapeXml(names.get(run)!)}</text>`;
  });
  if (lines.length > shown.length)
    rows.push(
      `<text x="${plotInsets.left + 24}" y="${y + shown.length * legendLine + 4}" fill="${colors.dim}">and ${lines.length - shown.length} more runs</text>`,
    );
  return `${rows.join('\n')}\n`;
}
