import { z } from 'zod';
import { crc32cHex } from '#model';
import type { ExperimentFile, StoredProblem } from '#store';
import { integerJson } from '../experiments/experiment-json.ts';
import { exactInteger } from '../json.ts';

const crcJson = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .meta({ description: 'CRC-32C over the durable bytes: eight hexadecimal digits.' });

/** A version of an event file in answers. */
export const fileJson = z.object({
  file_id: z.string(),
  run: z.string(),
  name: z.string(),
  version: z.int(),
  bytes: integerJson.meta({ description: 'The durable prefix.' }),
  crc32c: crcJson,
  sha256: z.string().nullable().meta({ description: 'Of a complete file, once it is known: hexadecimal.' }),
  complete: z.boolean(),
  original_kept: z.boolean().meta({
    description:
      'Whether the bytes can be given back. Not once points of the file were deleted, or when the workspace keeps originals for a time only.',
  }),
  records: integerJson,
  rejected_bytes: integerJson.meta({ description: 'Passed over: damaged, over a limit, or behind damage that ends the file.' }),
  incomplete_bytes: integerJson.meta({ description: 'Of a last record that is not whole yet.' }),
});

/** Writes a file. */
export function toFileJson(file: ExperimentFile): z.input<typeof fileJson> {
  return {
    file_id: file.fileId,
    run: file.run,
    name: file.name,
    version: file.version,
    bytes: exactInteger(file.bytes)!,
    crc32c: crc32cHex(file.crc32c),
    sha256: file.sha256?.toString('hex') ?? null,
    complete: file.complete,
    original_kept: file.originalKept,
    records: exactInteger(file.records)!,
    rejected_bytes: exactInteger(file.rejectedBytes)!,
    incomplete_bytes: exactInteger(file.incompleteBytes)!,
  };
}

/** A problem of a file in answers. */
export const problemJson = z.object({
  run: z.string(),
  file: z.string(),
  file_id: z.string(),
  version: z.int(),
  offset: integerJson,
  bytes: integerJson.meta({ description: 'Bytes of the file that were passed over because of it.' }),
  reason: z.string().meta({
    description:
      'Stable, e.g. `length-checksum`, `data-checksum`, `record-too-large`, `truncated-record`, `quarantined`, `stored-bytes-lost`, `reading-fails`.',
  }),
  detail: z.string(),
  ends_file: z.boolean(),
});

/** Writes a problem of a file. */
export function toProblemJson(problem: StoredProblem): z.input<typeof problemJson> {
  return {
    run: problem.run,
    file: problem.file,
    file_id: problem.fileId,
    version: problem.version,
    offset: exactInteger(problem.offset)!,
    bytes: exactInteger(problem.bytes)!,
    reason: problem.reason,
    detail: problem.detail,
    ends_file: problem.endsFile,
  };
}
