export { TensorsController } from './tensors.controller.ts';
export { blobSequencesQuery, tensorsQuery } from './values-query.ts';
