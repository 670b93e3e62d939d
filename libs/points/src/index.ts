export { EventRecords, type ValuePlace } from './event-records.ts';
export { PointCollector, type ScalarForm } from './point-collector.ts';

export { decodeHparams, decodeSessionEnd, sessionEndTag, sessionStartTag } from './hparams.ts';
export { type TensorElement, tensorElements } from './tensor-elements.ts';
export { isEvent, isSummaryMetadata, isTensorProto } from './well-formed.ts';
export { ValueRemover } from './value-remover.ts';
