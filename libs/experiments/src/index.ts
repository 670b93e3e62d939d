export { isExperimentId, noSuchExperiment, requireExperiment } from './access.ts';
export { changeExperiment } from './change-experiment.ts';
export { createExperiment, type ExperimentWish } from './create-experiment.ts';
export { parseFilter } from './filter.ts';
export { byId, newestFirst, parseOrderBy } from './order-by.ts';
export { cutPage, numberAfter, type Page, type PageRequest, readPage, staleToken } from './page-token.ts';
export {
  type DeletionWish,
  findDeletion,
  findDeletions,
  removeExperiment,
  removeWorkspace,
  requestDeletion,
  requireOwner,
} from './request-deletion.ts';
