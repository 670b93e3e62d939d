export { BadBlock, type BadBlockReason } from './bad-block.ts';
export { type BlockPrefix, columnsCoding, columnsVersion, encodeBlock, openBlock, openItems, readPrefix } from './block.ts';
export { type RangeDecoder } from './range-decoder.ts';
export { type RangeItems } from './range-items.ts';
export { type Template } from './template.ts';
