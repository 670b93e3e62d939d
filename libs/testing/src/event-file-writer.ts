import { frameRecords } from '#records/testing';
import { bytesField, doubleField, floatField, join, stringField, varintField } from './protobuf-writer.ts';

/**
 * One event. Omitted fields are absent. For field numbers, see TensorFlow's event.proto and
 * summary.proto.
 */
export interface EventSpec {
  readonly step?: number | bigint;
  /** Seconds since 1970. */
  readonly wallTime?: number;
  /** `brain.Event:2` in a file's first event. */
  readonly fileVersion?: string;
  /**
   * Tag to value, as TF2's writers write it: a float32 tensor of rank 0, with the plugin `scalars`.
   */
  readonly scalars?: Readonly<Record<string, number>>;
  /** Tag to value, as TF1's and PyTorch's writers write it: `simple_value`. */
  readonly simpleValues?: Readonly<Record<string, number>>;
  /** Serialized `Summary.Value` messages that follow the others, e.g. {@link tensorValue}. */
  readonly values?: readonly Uint8Array[];
  /** Writes a SessionLog with status START, i.e. a restart. */
  readonly sessionStart?: boolean;
  /** The text of a log message. */
  readonly logMessage?: string;
  /** Bytes of additional event fields. */
  readonly more?: Uint8Array;
}

/**
 * Real bytes of an event file, with every record framed with its checksums. Starts with a version
 * event unless `events` include one.
 */
export function writeEventFile(events: Iterable<EventSpec>): Uint8Array {
  const all = [...events];
  if (all[0]?.fileVersion === undefined) all.unshift({ wallTime: all[0]?.wallTime ?? 1_700_000_000, fileVersion: 'brain.Event:2' });
  return frameRecords(all.map(encodeEvent));
}

/** One record's data: a serialized `Event`. */
export function encodeEvent(event: EventSpec): Uint8Array {
  const values = [
    ...Object.entries(event.scalars ?? {}).map(([tag, value]) => scalarValue(tag, value)),
    ...Object.entries(event.simpleValues ?? {}).map(([tag, value]) => join(stringField(1, tag), floatField(2, value))),
    ...(event.values ?? []),
  ];
  return join(
    doubleField(1, event.wallTime ?? 1_700_000_000 + Number(event.step ?? 0)),
    event.step === undefined ? null : varintField(2, event.step),
    event.fileVersion === undefined ? null : stringField(3, event.fileVersion),
    values.length === 0 ? null : bytesField(5, join(...values.map((value) => bytesField(1, value)))),
    event.logMessage === undefined ? null : bytesField(6, join(varintField(1, 20), stringField(2, event.logMessage))),
    event.sessionStart ? bytesField(7, varintField(1, 1)) : null,
    event.more ?? null,
  );
}

/**
 * Summary.Value: tag = 1, tensor = 8 {dtype = 1: DT_FLOAT, tensor_shape = 2: empty, float_val = 5},
 * metadata = 9 {plugin_data = 1 {plugin_name = 1}, data_class = 4: scalar}.
 */
function scalarValue(tag: string, value: number): Uint8Array {
  const tensor = join(varintField(1, 1), bytesField(2, new Uint8Array()), floatField(5, value));
  const metadata = join(bytesField(1, stringField(1, 'scalars')), varintField(4, 1));
  return join(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}
