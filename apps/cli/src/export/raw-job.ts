import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExperimentId } from '#model';
import type { Api } from '../http/api.ts';
import { asArray, asObject, intField, type Json, stringField } from '../http/json.ts';
import type { ContentSelection } from './content-selection.ts';
import { downloadFile, hasContent } from './download-file.ts';
import { wouldOverwrite } from './finish-file.ts';
import { countDownload, fileOf, finishJob, writeManifest } from './job.ts';
import { type NamedFile, placeFiles, type RawExport } from './raw.ts';

/** A raw export that the service wrote. */
export interface RawJobExport extends RawExport {
  /** Whether the export already existed on the service. */
  readonly reused: boolean;
}

/**
 * Has the service export the event files as uploaded, and downloads them to the same paths as
 * `exportRaw`, with `manifest.json`. A file that exists with other content is not overwritten.
 */
export async function exportRawByJob(
  api: Api,
  experimentId: ExperimentId,
  selection: ContentSelection,
  outdir: string,
  progress: (text: string) => void,
): Promise<RawJobExport> {
  const job = await finishJob(api, experimentId, { format: 'raw', ...selection }, progress);
  const names = asArray(job.manifest['files'], 'files').map((item) => nameOf(asObject(item, 'files')));
  const leftOut = asArray(job.manifest['left_out'], 'left_out').map((item) => {
    const file = asObject(item, 'left_out');
    return { ...nameOf(file), reason: stringField(file, 'reason') };
  });
  const contents = new Map(names.map((name, i) => [name, job.files[i]!]));
  const placed = placeFiles([...names, ...leftOut]);
  const onBytes = countDownload(job.files, progress);
  const files = [];
  let unchanged = 0;
  for (const one of placed) {
    const content = contents.get(one.file);
    if (!content) continue;
    const target = join(outdir, one.path);
    if (!existsSync(target)) await downloadFile(api, fileOf(job, content), target, content, onBytes);
    else if (await hasContent(target, content)) unchanged++;
    else throw wouldOverwrite(target);
    files.push({ ...one, file: { ...one.file, bytes: content.bytes } });
  }
  await writeManifest(outdir, job);
  const because = (reason: string) => placed.filter(({ file }) => leftOut.some((left) => left === file && left.reason === reason));
  return {
    files,
    bytes: files.reduce((sum, { file }) => sum + file.bytes, 0),
    unchanged,
    gone: because('original-gone'),
    lost: because('stored-bytes-lost'),
    reused: job.reused,
  };
}

function nameOf(file: Json): NamedFile {
  return {
    run: stringField(file, 'run'),
    name: stringField(file, 'name'),
    version: intField(file, 'version'),
    rewritten: file['rewritten'] === true,
  };
}
