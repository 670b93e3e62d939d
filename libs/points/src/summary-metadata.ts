import type { DataClass, SeriesMeta, TagName } from '#model';
import { checkUtf8, utf8 } from './utf8.ts';
import type { Wire } from './wire.ts';

/** The kind of data in a summary value (the oneof `value` of Summary.Value). */
export const valueKind = { none: 0, simple: 1, image: 2, histogram: 3, audio: 4, tensor: 5 } as const;

/** One of {@link valueKind}. */
export type ValueKind = (typeof valueKind)[keyof typeof valueKind];

/** A SummaryMetadata as read. Strings are copies, so they outlive the record. */
export interface GivenMetadata {
  plugin: string;
  pluginContent: Uint8Array;
  displayName: string;
  description: string;
  dataClass: DataClass | null;
  /** Size of the message, in bytes. */
  bytes: number;
}

/**
 * Tag of the series that holds graphs, and plugin names that values do not contain themselves
 * (protocol reference A.5, A.6).
 */
export const runGraphTag = '__run_graph__';
export const graphPlugin = 'graphs';
export const taggedRunMetadataPlugin = 'graph_tagged_run_metadata';
/** Plugins whose rank-0 string counts as a sequence of one blob. */
export const graphPartPlugins: ReadonlySet<string> = new Set(['graph_run_metadata', 'graph_run_metadata_graph', 'graph_keras_model']);
export const audioPlugin = 'audio';
const hparamsPlugin = 'hparams';

const nothing = new Uint8Array(0);

/** SummaryMetadata.data_class; index is its number. */
const dataClassNumbers: readonly (DataClass | null)[] = [null, 'scalar', 'tensor', 'blob_sequence'];

/** Protocol reference A.5: the class of series whose metadata names a plugin but no class. */
const classOfPlugin: ReadonlyMap<string, DataClass> = new Map<string, DataClass>([
  ['scalars', 'scalar'],
  ['histograms', 'tensor'],
  ['text', 'tensor'],
  [hparamsPlugin, 'tensor'],
  ['pr_curves', 'tensor'],
  ['mesh', 'tensor'],
  ['custom_scalars', 'tensor'],
  ['images', 'blob_sequence'],
  [audioPlugin, 'blob_sequence'],
  [graphPlugin, 'blob_sequence'],
  [taggedRunMetadataPlugin, 'blob_sequence'],
  ...[...graphPartPlugins].map((plugin) => [plugin, 'blob_sequence'] as const),
]);

/**
 * The series metadata that a legacy value implies: plugin, content bytes as TensorBoard's Python
 * reader writes them, class.
 */
const legacy: Partial<Record<ValueKind, { plugin: string; content: Uint8Array; dataClass: DataClass }>> = {
  [valueKind.simple]: { plugin: 'scalars', content: nothing, dataClass: 'scalar' },
  [valueKind.histogram]: { plugin: 'histograms', content: nothing, dataClass: 'tensor' },
  // converted_to_tensor = true
  [valueKind.image]: { plugin: 'images', content: Uint8Array.of(0x10, 1), dataClass: 'blob_sequence' },
  // encoding = WAV, converted_to_tensor = true
  [valueKind.audio]: { plugin: audioPlugin, content: Uint8Array.of(0x10, 11, 0x18, 1), dataClass: 'blob_sequence' },
};

/**
 * Validates a SummaryMetadata message without keeping anything. Throws a `Refusal` if it is
 * malformed or contains a name that is not UTF-8.
 */
export function checkMetadata(wire: Wire, start: number, end: number): void {
  wire.pos = start;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x0a) {
      const dataEnd = wire.lengthEnd(end);
      while (wire.pos < dataEnd) {
        const dataKey = wire.key(dataEnd);
        if (dataKey === 0x0a) skipText(wire, dataEnd);
        else wire.skip(dataKey, dataEnd);
      }
    } else if (key === 0x12 || key === 0x1a) skipText(wire, end);
    else wire.skip(key, end);
  }
}

/**
 * Reads a SummaryMetadata message: {1 plugin_data{1 plugin_name; 2 content}; 2 display_name; 3
 * summary_description; 4 data_class}.
 */
export function readMetadata(wire: Wire, start: number, end: number): GivenMetadata {
  const given: GivenMetadata = {
    plugin: '',
    pluginContent: nothing,
    displayName: '',
    description: '',
    dataClass: null,
    bytes: end - start,
  };
  wire.pos = start;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x0a) {
      const dataEnd = wire.lengthEnd(end);
      while (wire.pos < dataEnd) {
        const dataKey = wire.key(dataEnd);
        if (dataKey === 0x0a) given.plugin = text(wire, dataEnd);
        else if (dataKey === 0x12) {
          const last = wire.lengthEnd(dataEnd);
          given.pluginContent = new Uint8Array(wire.buf.subarray(wire.pos, last));
          wire.pos = last;
        } else wire.skip(dataKey, dataEnd);
      }
    } else if (key === 0x12) given.displayName = text(wire, end);
    else if (key === 0x1a) given.description = text(wire, end);
    else if (key === 0x20) {
      wire.varint(end);
      given.dataClass = wire.high === 0 ? (dataClassNumbers[wire.low] ?? null) : null;
    } else wire.skip(key, end);
  }
  return given;
}

/**
 * The metadata of a series whose first value is of this kind (protocol reference A.6, data rule 3).
 * A given data class is used unchanged, a legacy value implies its plugin, and a known plugin
 * implies its class. Anything else is an unlisted tensor series (data rule 11).
 */
export function firstMetadata(tag: TagName, kind: ValueKind, given: GivenMetadata | null): SeriesMeta {
  const { plugin = '', pluginContent = nothing, displayName = '', description = '' } = given ?? {};
  const converted = legacy[kind];
  const shownAs = { tag, twin: false, displayName: displayName || (converted ? tag : ''), description };
  if (given?.dataClass) return { ...shownAs, listed: true, plugin, pluginContent, dataClass: given.dataClass };
  if (converted)
    return { ...shownAs, listed: true, plugin: converted.plugin, pluginContent: converted.content, dataClass: converted.dataClass };
  const known = classOfPlugin.get(plugin);
  return { ...shownAs, listed: known !== undefined, plugin, pluginContent, dataClass: known ?? 'tensor' };
}

/**
 * The metadata of the blob series that holds graphs or run metadata, which events contain outside a
 * summary.
 */
export function eventBlobMetadata(tag: TagName, plugin: string): SeriesMeta {
  return { tag, twin: false, dataClass: 'blob_sequence', listed: true, plugin, pluginContent: nothing, displayName: '', description: '' };
}

/**
 * The metadata of the unlisted series next to `meta` that keeps values of other classes (data rule
 * 3).
 */
export function twinMetadata(meta: SeriesMeta): SeriesMeta {
  return { ...meta, twin: true, dataClass: 'tensor', listed: false, pluginContent: nothing, displayName: '', description: '' };
}

function text(wire: Wire, end: number): string {
  const last = wire.lengthEnd(end);
  const string = utf8(wire.buf, wire.pos, last);
  wire.pos = last;
  return string;
}

function skipText(wire: Wire, end: number): void {
  const last = wire.lengthEnd(end);
  checkUtf8(wire.buf, wire.pos, last);
  wire.pos = last;
}
