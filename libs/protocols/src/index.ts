export { descriptor } from './descriptor.ts';
export type * from './messages.ts';
export type { Sent } from './sent.ts';
export { MessageWriter } from './message-writer.ts';
export { summaryMetadataMessage } from './summary-metadata-message.ts';
export { tensorMessage } from './tensor-message.ts';
export { timestampOf } from './timestamp-message.ts';
