/** Data that the stock TensorBoard uploader sends in several requests. */
export { insertUploaderRequest } from '../queries/uploader/uploader-requests.ts';
export {
  bytesOfSequence,
  listOpenUploaderSequences,
  readUploaderSequence,
  type UploaderBlob,
  type UploaderSequence,
} from '../queries/uploader/read-uploader-sequences.ts';
export { closeUploaderSequence } from '../queries/uploader/close-uploader-sequence.ts';
export { openUploaderSequence } from '../queries/uploader/open-uploader-sequence.ts';
export { putUploaderBlob } from '../queries/uploader/put-uploader-blob.ts';
export { readHeldBlobs, readUploaderBlob, readUploaderBodies } from '../queries/uploader/read-uploader-blobs.ts';
