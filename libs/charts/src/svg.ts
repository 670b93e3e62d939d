// SVG drawing: everything that works without a canvas
export { type ChartParts, chartParts } from './chart-parts.ts';
export { svgChart } from './svg-chart.ts';
export { unplacedText } from './unplaced-text.ts';
