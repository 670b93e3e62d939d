export { crc32c, maskedCrc } from './crc32c.ts';
export { combineCrc32c } from './combine-crc32c.ts';
export { type IsEvent, RecordReader, type RecordVisitor } from './tf-record.ts';
