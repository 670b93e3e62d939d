import type { ExperimentId, FileId } from '#model';

/** Reads JSON from the server: an unexpected shape is a server error, identified by its path. */
export type Json = Readonly<Record<string, unknown>>;

/** Thrown if a response does not match api.md. */
export class UnexpectedResponse extends Error {}

export function asObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnexpectedResponse(`${what} is not an object`);
  return value as Json;
}

export function asArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnexpectedResponse(`${what} is not a list`);
  return value;
}

export function stringField(object: Json, name: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw new UnexpectedResponse(`${name} is not a string`);
  return value;
}

/**
 * Reads a count or a byte offset: a number, or a string beyond 2^53 (api.md). File offsets fit in a
 * double.
 */
export function intField(object: Json, name: string): number {
  const value = object[name];
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new UnexpectedResponse(`${name} is not a whole number`);
  return number;
}

/** The id of an event file. */
export function fileIdField(object: Json, name: string): FileId {
  return idField(object, name, (text): text is FileId => pathPart.test(text));
}

/** The id of an experiment. */
export function experimentIdField(object: Json, name: string): ExperimentId {
  return idField(object, name, (text): text is ExperimentId => pathPart.test(text));
}

/**
 * Pattern of ids, which are used in paths. Ids are opaque; the API can write them as strings or as
 * numbers.
 */
const pathPart = /^[A-Za-z0-9_-]+$/;

function idField<Id extends string>(object: Json, name: string, isId: (text: string) => text is Id): Id {
  const value = object[name];
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === 'string' && isId(text)) return text;
  throw new UnexpectedResponse(`${name} is not an id`);
}

/** A CRC-32C as the API writes it. */
export function crcField(object: Json, name: string): number {
  const value = object[name];
  if (typeof value === 'string' && /^[0-9a-f]{8}$/i.test(value)) return Number.parseInt(value, 16);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffffffff) return value;
  throw new UnexpectedResponse(`${name} is not a CRC-32C`);
}

/** A value as text for display: null is empty, objects and lists are JSON. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
