import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type DigestedContent, digestText } from '#citations';
import { findExperiment } from '../bridge/find-experiment.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { citationFile, type ExportedCitation } from '../export/citation-file.ts';
import type { Host } from '../host.ts';
import { stringField } from '../http/json.ts';
import { counted, plural, type Report } from '../report.ts';
import { digestFolder } from '../verify/digest-folder.ts';
import { digestService } from '../verify/digest-service.ts';

/** Flags of `plotline verify --snapshot`. */
export interface VerifySnapshotFlags {
  /** A snapshot on the service. If absent, exported event files are checked. */
  readonly argument?: string;
  /** The expected digest, or the snapshot; true means the citation's digest. */
  readonly snapshot: string | true;
  readonly logdir: string;
}

/**
 * `plotline verify --snapshot`: computes the content digest of a snapshot here, from every value
 * and blob that the service returns, or without a server from its exported event files. Exit 1 if
 * the digest differs from the cited digest.
 */
export async function verifySnapshot(flags: VerifySnapshotFlags, host: Host, report: Report): Promise<number> {
  const digestOrName = flags.snapshot === true ? null : flags.snapshot;
  const given = digestOrName === null ? null : parseDigest(digestOrName);
  const named = flags.argument ?? (given === null ? digestOrName : null);
  const { expected, content, of } =
    named === null ? await verifyFolder(given, flags.logdir, host, report) : await verifyService(named, given, host, report);
  report.clearStatus();
  const digest = digestText(content.digest);
  const verified = digest === expected;
  const { series, scalars, tensors, blobSequences } = content;
  report.document({ ...of, verified, digest, expected, series, scalars, tensors, blob_sequences: blobSequences });
  report.result(`Computed ${digest}`);
  report.result(`Expected ${expected}`);
  report.result(
    verified
      ? `Verified: ${counted([scalars, 'scalar'], [tensors, 'tensor'], [blobSequences, 'blob sequence']).join(', ')} match the citation.`
      : 'The content differs from the cited content.',
  );
  return verified ? exitCodes.done : exitCodes.failed;
}

interface Verification {
  readonly expected: string;
  readonly content: DigestedContent;
  readonly of: object;
}

async function verifyService(named: string, given: string | null, host: Host, report: Report): Promise<Verification> {
  const { api, experimentId } = await findExperiment(named, host, report);
  try {
    const expected = given ?? (await citedDigest(api.get(`/experiments/${experimentId}/citation`, `The citation of ${experimentId}`)));
    const content = await digestService(api, experimentId, (runs) => report.status(`Reading: ${plural(runs, 'run')} …`));
    return { expected, content, of: { experiment_id: experimentId } };
  } finally {
    api.http.close();
  }
}

async function citedDigest(citation: Promise<{ readonly [name: string]: unknown }>): Promise<string> {
  const { digest } = await citation;
  if (typeof digest !== 'string')
    throw new CliError(exitCodes.failed, 'The service has not computed the digest yet. Try again in a moment, or specify a digest.');
  return digest;
}

async function verifyFolder(given: string | null, logdir: string, host: Host, report: Report): Promise<Verification> {
  const folder = resolve(host.cwd, logdir);
  const citation = readExportedCitation(folder);
  const expected = given ?? citation?.digest ?? null;
  if (expected === null)
    throw usageError(`${join(folder, citationFile)} has no digest. Specify a snapshot or a digest: --snapshot sha256:… --logdir FOLDER.`);
  const runOf = new Map((citation?.renamed_runs ?? []).map(({ run, folder: path }) => [path, run]));
  const content = await digestFolder(folder, runOf, (runs) => report.status(`Reading: ${plural(runs, 'run')} …`));
  return { expected, content, of: { logdir: folder } };
}

/** Reads the file that `plotline export` writes beside the event files of a citable snapshot. */
function readExportedCitation(folder: string): ExportedCitation | null {
  let text: string;
  try {
    text = readFileSync(join(folder, citationFile), 'utf8');
  } catch {
    return null; // a folder without a citation
  }
  try {
    return JSON.parse(text) as ExportedCitation;
  } catch (error) {
    throw new CliError(exitCodes.failed, `${join(folder, citationFile)} is not JSON.`, { cause: error });
  }
}

/** Returns null if the text is not a digest, and throws if the digest is malformed. */
function parseDigest(text: string): string | null {
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex === undefined && /^sha256:/i.test(text))
    throw usageError(`${JSON.stringify(text)} is not a digest: it must be sha256: followed by 64 hexadecimal digits.`);
  return hex === undefined ? null : digestText(hex.toLowerCase());
}

/** `plotline cite`: prints how to cite a snapshot. */
export async function cite(
  flags: { readonly argument: string; readonly format: 'text' | 'bibtex' | 'datacite' },
  host: Host,
  report: Report,
): Promise<number> {
  const { api, experimentId } = await findExperiment(flags.argument, host, report);
  try {
    const path = `/experiments/${experimentId}/citation`;
    if (flags.format === 'datacite') {
      const document = await api.get(`${path}/datacite`, `The citation of ${experimentId}`);
      report.document(document);
      for (const line of JSON.stringify(document, null, 2).split('\n')) report.result(line);
      return exitCodes.done;
    }
    const citation = await api.get(path, `The citation of ${experimentId}`);
    report.document(citation);
    for (const line of stringField(citation, flags.format).trimEnd().split('\n')) report.result(line);
    return exitCodes.done;
  } finally {
    api.http.close();
  }
}
