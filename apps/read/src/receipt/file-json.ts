import { z } from 'zod';
import { crc32cHex, fileProblemReasons } from '#model';
import { keptCrc32c } from '#originals';
import type { ExperimentFile, StoredProblem } from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { exactInteger } from '../json.ts';

const crcJson = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .meta({ description: 'CRC-32C of the durable bytes as received: eight hexadecimal digits.' });

/** A version of an event file in responses. */
export const fileJson = z.object({
  file_id: z.string(),
  run: z.string(),
  name: z.string(),
  version: z.int(),
  bytes: integerJson.meta({ description: 'The durable prefix.' }),
  crc32c: crcJson,
  sha256: z
    .string()
    .nullable()
    .meta({ description: 'SHA-256 of the file in hexadecimal. Null until the file is complete and its hash is known.' }),
  complete: z.boolean(),
  original_kept: z.boolean().meta({
    description:
      "Whether the bytes can be downloaded. False once the workspace's retention period for originals has passed, or if the stored bytes could not be read when points were deleted.",
  }),
  original_rewritten: z.boolean().meta({
    description:
      'Whether points of the file were deleted. Its bytes are then kept without these points: padding that readers skip replaces them. `bytes`, `crc32c` and `sha256` still describe the file as received.',
  }),
  content_crc32c: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .nullable()
    .meta({
      description:
        'CRC-32C of the bytes that can be downloaded. It differs from `crc32c` if `original_rewritten` is true. Null if the bytes are not kept.',
    }),
  records: integerJson,
  unverified_records: integerJson.meta({
    description:
      'The first record with a wrong data checksum. Such records are read if all records of the file so far have wrong data checksums.',
  }),
  rejected_bytes: integerJson.meta({ description: 'Bytes that were skipped: damaged, over a limit, or after damage that ends the file.' }),
  incomplete_bytes: integerJson.meta({ description: 'Bytes of an incomplete last record.' }),
  copy_of: z.string().nullable().meta({
    description:
      "The run's file (`file_id`) that begins with all bytes of this file, which therefore adds no points. Null if this file is not a copy.",
  }),
  replaced: z
    .boolean()
    .meta({ description: 'Whether a newer version of the file was read. If so, all points of this version are superseded.' }),
});

/** Serializes a file. */
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
    original_rewritten: file.rewrittenBytes > 0,
    content_crc32c: file.originalKept ? crc32cHex(keptCrc32c({ ...file, durableOffset: file.bytes })) : null,
    records: exactInteger(file.records)!,
    unverified_records: exactInteger(file.unverifiedRecords)!,
    rejected_bytes: exactInteger(file.rejectedBytes)!,
    incomplete_bytes: exactInteger(file.incompleteBytes)!,
    copy_of: file.copyOf,
    replaced: file.replaced,
  };
}

/** A problem of a file in responses. */
export const problemJson = z.object({
  run: z.string(),
  file: z.string(),
  file_id: z.string(),
  version: z.int(),
  offset: integerJson,
  bytes: integerJson.meta({ description: 'Bytes of the file that were skipped because of the problem.' }),
  reason: z.string().meta({
    description: `Stable. One of ${fileProblemReasons.map((reason) => `\`${reason}\``).join(', ')}; newer versions may add reasons.`,
  }),
  detail: z.string(),
  ends_file: z.boolean(),
});

/** Serializes a problem of a file. */
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
