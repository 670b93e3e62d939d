export { compareRuns } from './compare.ts';
export { diffConfigs } from './config-diff.ts';
export { curve } from './curve.ts';
export { describeExperiment } from './describe.ts';
export { listExperiments, listRuns } from './find.ts';
export { listRunProblems } from './problems.ts';
export { safeJson } from './safe-json.ts';
export type { ExactPoint } from './scalar-summary.ts';
export type { Json, Query, Source } from './source.ts';
