export { effectiveOf, pointsOf, SeriesWorld } from './series-world.ts';
