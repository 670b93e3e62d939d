export { createEmptyDatabase, createTestDatabase, describeWith } from './test-database.ts';
export type { TestDatabase } from './template-database.ts';
export { type Part, parts, requiredParts } from './parts.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
