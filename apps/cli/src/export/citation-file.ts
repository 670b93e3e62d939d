import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExperimentId, RunName } from '#model';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { stringField } from '../http/json.ts';

/** Name of the citation file beside exported event files. */
export const citationFile = 'citation.json';

/**
 * The content of {@link citationFile}: the citation from the API, and the data for a check without
 * a server.
 */
export interface ExportedCitation {
  readonly digest?: string | null;
  /** Runs with a different folder name, because the run's name is not safe as a path. */
  readonly renamed_runs?: readonly { readonly run: RunName; readonly folder: string }[];
}

/**
 * Writes `citation.json` and `citation.bib` beside the event files of a citable snapshot, and
 * nothing for other experiments. Returns whether there is a citation.
 */
export async function writeCitation(
  api: Api,
  experimentId: ExperimentId,
  outdir: string,
  renamed: readonly { readonly run: RunName; readonly path: string }[],
): Promise<boolean> {
  let citation;
  try {
    citation = await api.get(`/experiments/${experimentId}/citation`, `The citation of ${experimentId}`);
  } catch (error) {
    // The service may also be too old to support citations.
    if (error instanceof ApiError && (error.code === 'citation-not-found' || error.code === 'not-found')) return false;
    throw error;
  }
  const document = { ...citation, renamed_runs: renamed.map(({ run, path }) => ({ run, folder: path.replace(/\/[^/]*$/, '') })) };
  await writeFile(join(outdir, citationFile), `${JSON.stringify(document, null, 2)}\n`);
  await writeFile(join(outdir, 'citation.bib'), stringField(citation, 'bibtex'));
  return true;
}
