import { dashes, elideNames, palettes, visibleText } from '#charts';
import { svgChart } from '#charts/svg';
import { runText } from '../compare/compared-run.ts';
import type { PlotContent } from './plot-content.ts';

/** In page pixels. */
const titleHeight = 32;
const legendLine = 18;
const edge = 12;
const maxNamed = 12;

/** A chart as a standalone SVG document, with its own size. */
export function svgFile({ lines, scales, styles, xAxis, theme }: PlotContent, title: string): Blob {
  const picture = svgChart(lines, scales, styles, { xAxis }, { title, width: 720, height: 440, theme });
  return new Blob([picture], { type: 'image/svg+xml' });
}

/**
 * A chart as a PNG: its canvas on the page's background, with the tag above it and the legend
 * below. Null if the browser cannot create it.
 */
export function pngFile(chart: HTMLCanvasElement, { lines, styles, theme }: PlotContent, title: string): Promise<Blob | null> {
  const scale = chart.width / Math.max(1, chart.clientWidth);
  const [width, tall] = [chart.width / scale, chart.height / scale];
  const named = lines.length > 1 ? lines.slice(0, maxNamed) : [];
  const rows = named.length + (named.length > 0 && lines.length > named.length ? 1 : 0);
  const height = titleHeight + tall + (rows === 0 ? 0 : rows * legendLine + edge);
  const paper = document.createElement('canvas');
  [paper.width, paper.height] = [Math.round(width * scale), Math.round(height * scale)];
  const pen = paper.getContext('2d');
  if (!pen) return Promise.resolve(null);
  const style = getComputedStyle(chart);
  const color = (name: string): string => style.getPropertyValue(name);
  pen.scale(scale, scale);
  pen.fillStyle = color('--card');
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = color('--fg');
  pen.font = `600 13px ${color('--sans')}`;
  pen.fillText(elideNames([visibleText(title)], Math.floor((width - 2 * edge) / 7)).get(visibleText(title))!, edge, 21, width - 2 * edge);
  pen.drawImage(chart, 0, titleHeight, width, tall);
  pen.font = `11px ${color('--sans')}`;
  const texts = elideNames(
    named.map(({ run }) => runText(run)),
    Math.floor((width - 2 * edge - 24) / 6.2),
  );
  named.forEach(({ run }, i) => {
    const y = titleHeight + tall + (i + 0.5) * legendLine;
    const look = styles.get(run);
    pen.strokeStyle = palettes[theme][look?.color ?? 0]!;
    pen.lineWidth = 2;
    pen.setLineDash([...(dashes[look?.dash ?? 0] ?? [])]);
    pen.beginPath();
    pen.moveTo(edge, y);
    pen.lineTo(edge + 16, y);
    pen.stroke();
    pen.fillStyle = color('--fg');
    pen.fillText(texts.get(runText(run))!, edge + 24, y + 4, width - 2 * edge - 24);
  });
  if (rows > named.length) {
    pen.fillStyle = color('--dim');
    pen.fillText(`and ${lines.length - named.length} more`, edge + 24, titleHeight + tall + (named.length + 0.5) * legendLine + 4);
  }
  return new Promise((resolve) => paper.toBlob(resolve));
}
