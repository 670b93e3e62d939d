export { checkMinmax } from './check-minmax.ts';
export { effectiveOf, pointsOf, SeriesWorld } from './series-world.ts';
