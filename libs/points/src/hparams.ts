import type { RunStatus } from '#model';
import { Rejection } from './rejection.ts';
import { utf8 } from './utf8.ts';
import { Wire } from './wire.ts';

/** Tags of values whose plugin content describes a session (protocol reference A.7). */
export const sessionStartTag = '_hparams_/session_start_info';
export const sessionEndTag = '_hparams_/session_end_info';

/** The hyperparameters with which a run started. */
export interface Hparams {
  /**
   * An object without a prototype, so a hyperparameter can have any name. Values of other types are
   * omitted.
   */
  readonly hparams: Record<string, number | string | boolean>;
  readonly groupName: string;
  /** Seconds since the epoch; 0 if unknown. */
  readonly startTimeSecs: number;
}

/** How a session ended, indexed by the protocol's numbers. */
export const sessionStatuses: readonly RunStatus[] = ['unknown', 'success', 'failure', 'running'];

export interface SessionEnd {
  readonly status: RunStatus;
  /** Seconds since the epoch; 0 if unknown. */
  readonly endTimeSecs: number;
}

/**
 * HParamsPluginData{3 SessionStartInfo{1 map hparams; 4 group_name; 5 start_time_secs}}. Null for
 * any other `content`.
 */
export function decodeHparams(content: Uint8Array): Hparams | null {
  return decodePart(content, 3, (wire, end) => {
    const hparams = Object.create(null) as Record<string, number | string | boolean>;
    let groupName = '';
    let startTimeSecs = 0;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x0a) readEntry(wire, wire.lengthEnd(end), hparams);
      else if (key === 0x22) groupName = text(wire, end);
      else if (key === 0x29) startTimeSecs = wire.view.getFloat64(wire.fixed(8, end), true);
      else wire.skip(key, end);
    }
    return { hparams, groupName, startTimeSecs };
  });
}

/** HParamsPluginData{4 SessionEndInfo{1 status; 2 end_time_secs}}. Null for any other `content`. */
export function decodeSessionEnd(content: Uint8Array): SessionEnd | null {
  return decodePart(content, 4, (wire, end) => {
    let status = 0;
    let endTimeSecs = 0;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x08) {
        wire.varint(end);
        status = wire.high === 0 ? wire.low : 0;
      } else if (key === 0x11) endTimeSecs = wire.view.getFloat64(wire.fixed(8, end), true);
      else wire.skip(key, end);
    }
    return { status: sessionStatuses[status] ?? 'unknown', endTimeSecs };
  });
}

/**
 * Reads the part with this field number of an HParamsPluginData of version 0 (others are ignored,
 * protocol reference A.5).
 */
function decodePart<T>(content: Uint8Array, field: number, read: (wire: Wire, end: number) => T): T | null {
  const wire = new Wire();
  wire.attach(content);
  let part: T | null = null;
  try {
    while (wire.pos < content.length) {
      const key = wire.key(content.length);
      if (key === 0x08) {
        wire.varint(content.length);
        if ((wire.low | wire.high) !== 0) return null;
      } else if (key === field * 8 + 2) part = read(wire, wire.lengthEnd(content.length));
      else wire.skip(key, content.length);
    }
  } catch (rejection) {
    if (rejection instanceof Rejection) return null;
    throw rejection;
  }
  return part;
}

/**
 * Reads an entry of map<string, google.protobuf.Value>. Value{2 number; 3 string; 4 bool}; other
 * kinds are skipped.
 */
function readEntry(wire: Wire, end: number, into: Record<string, number | string | boolean>): void {
  let name = '';
  let value: number | string | boolean | undefined;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key === 0x0a) name = text(wire, end);
    else if (key === 0x12) {
      const valueEnd = wire.lengthEnd(end);
      while (wire.pos < valueEnd) {
        const kind = wire.key(valueEnd);
        if (kind === 0x11) value = wire.view.getFloat64(wire.fixed(8, valueEnd), true);
        else if (kind === 0x1a) value = text(wire, valueEnd);
        else if (kind === 0x20) {
          wire.varint(valueEnd);
          value = (wire.low | wire.high) !== 0;
        } else wire.skip(kind, valueEnd);
      }
    } else wire.skip(key, end);
  }
  if (value !== undefined) into[name] = value;
}

function text(wire: Wire, end: number): string {
  const last = wire.lengthEnd(end);
  const string = utf8(wire.buf, wire.pos, last);
  wire.pos = last;
  return string;
}
