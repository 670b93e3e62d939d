export { EventRecords, type ValuePlace } from './event-records.ts';
export { PointCollector, type ScalarForm } from './point-collector.ts';
export { type Framing } from './pending-batch.ts';
export {
  decodeHparams,
  decodeSessionEnd,
  type Hparams,
  type SessionEnd,
  sessionEndTag,
  sessionStartTag,
  sessionStatuses,
} from './hparams.ts';
export { type TensorElement, tensorElements } from './tensor-elements.ts';
export { isEvent, isSummaryMetadata, isTensorProto } from './well-formed.ts';
export { type IsRemoved, ValueRemover } from './value-remover.ts';
