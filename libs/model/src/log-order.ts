/**
 * A file's position among its run's files: data rule 2, "file name (plain string order of bytes),
 * file version".
 */
export interface FilePlace {
  readonly name: string;
  readonly version: number;
}

/**
 * Orders a run's files like their points in the log: by the UTF-8 bytes of the name, then by
 * version. Negative if a is earlier.
 */
export function compareLogOrder(a: FilePlace, b: FilePlace): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || a.version - b.version;
}
