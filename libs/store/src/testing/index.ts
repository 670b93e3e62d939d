export { type PlanNode, rowsHandledBy } from './plans.ts';
