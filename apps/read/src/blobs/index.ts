export { BlobReader } from './blob-reader.ts';
export { BlobSequencesController } from './blob-sequences.controller.ts';
export { BlobTypes } from './blob-types.ts';
export { BlobsController } from './blobs.controller.ts';
