import { createHash } from 'node:crypto';
import type { Api } from '../http/api.ts';
import { asArray, asObject, crcField, formatCrc, intField, stringField } from '../http/json.ts';

/** One version of a file in the receipt: what the service promises to have. */
export interface ReceiptFile {
  readonly run: string;
  readonly name: string;
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: number;
  /** Complete records, where the service says so. */
  readonly records: number | null;
}

/** The receipt of an experiment. */
export interface Receipt {
  readonly files: readonly ReceiptFile[];
  /** SHA-256 in hex, as the service computed it. */
  readonly digest: string;
}

/** Reads the receipt (api.md). */
export async function readReceipt(api: Api, experimentId: string): Promise<Receipt> {
  const receipt = await api.get(`/experiments/${experimentId}/receipt`, 'Reading the receipt');
  const files = asArray(receipt['files'], 'files').map((value): ReceiptFile => {
    const file = asObject(value, 'files');
    return {
      run: stringField(file, 'run'),
      name: stringField(file, 'name'),
      version: intField(file, 'version'),
      bytes: intField(file, 'bytes'),
      crc32c: crcField(file, 'crc32c'),
      records: file['records'] === null || file['records'] === undefined ? null : intField(file, 'records'),
    };
  });
  return { files, digest: stringField(receipt, 'digest') };
}

/** SHA-256 over lines `run NUL name NUL version NUL bytes NUL crc32c LF`, sorted by bytes (api.md, receipt). */
export function receiptDigest(files: readonly ReceiptFile[]): string {
  const lines = files.map((file) => Buffer.from(`${file.run}\0${file.name}\0${file.version}\0${file.bytes}\0${formatCrc(file.crc32c)}\n`));
  const hash = createHash('sha256');
  for (const line of lines.sort(Buffer.compare)) hash.update(line);
  return hash.digest('hex');
}
