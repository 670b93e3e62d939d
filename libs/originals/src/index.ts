export { joinOriginal, type JoinOutcome } from './join-original.ts';
export { OriginalDamaged } from './original-index.ts';
export { prefixCrc32c } from './prefix-crc32c.ts';
export { type AnyTransaction, type FileSource, type InTenant, readFileBytes, readFileRange } from './read-file-range.ts';
export { shrinkSegment } from './segment-encoding.ts';
