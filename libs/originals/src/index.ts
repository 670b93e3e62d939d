export { copyLogs } from './copy-logs.ts';
export { joinOriginal } from './join-original.ts';
export { hasSegmentsToJoin, type JoinBounds, joinSegments } from './join-segments.ts';
export { OriginalDamaged } from './original-index.ts';
export { prefixCrc32c } from './prefix-crc32c.ts';
export { keptCrc32c } from './kept-crc32c.ts';
export { type RecordChange } from './record-editor.ts';
export { rewriteOriginal } from './rewrite-original.ts';
export { dropOriginal } from './drop-original.ts';
export {
  type FileSource,
  type InTenant,
  originalGone,
  readFileBytes,
  readFileItems,
  readFileRange,
  type StoredItems,
} from './read-file-range.ts';
export { shrinkSegment } from './segment-encoding.ts';
export { bytesLost, storedBytesLost } from './stored-bytes-lost.ts';
export { verifyOriginal, verifySegment } from './verify-stored.ts';
