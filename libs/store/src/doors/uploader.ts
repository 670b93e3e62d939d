/** Data that the stock TensorBoard uploader sends in several requests. */
export { insertUploaderRequest } from '../queries/uploader/uploader-requests.ts';
export {
  bytesOfSequence,
  closeUploaderSequence,
  listOpenUploaderSequences,
  openUploaderSequence,
  putUploaderBlob,
  readHeldBlobs,
  readUploaderBlob,
  readUploaderBodies,
  readUploaderSequence,
  type UploaderBlob,
  type UploaderSequence,
} from '../queries/uploader/uploader-sequences.ts';
