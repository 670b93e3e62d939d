// Drawing as SVG: what charts on canvases do without
export { type ChartParts, chartParts } from './chart-parts.ts';
export { svgChart } from './svg-chart.ts';
