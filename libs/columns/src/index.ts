export { BadBlock } from './bad-block.ts';
export { columnsCoding, columnsVersion, encodeBlock, openBlock, openItems, readPrefix } from './block.ts';

export { type RangeItems } from './range-items.ts';
export { type Template } from './template.ts';
