import type { ExperimentId } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { stringField } from '../http/json.ts';
import type { ContentSelection } from './content-selection.ts';

/**
 * Throws if the experiment does not have one of these runs or tags: otherwise the export would look
 * complete. The service checks the names of a job itself.
 */
export async function requireNames(api: Api, experimentId: ExperimentId, { runs = [], tags = [] }: ContentSelection): Promise<void> {
  const missing = new Set(runs);
  if (missing.size > 0)
    for await (const run of api.pages(`/experiments/${experimentId}/runs`, 'runs', 'Listing runs')) {
      missing.delete(stringField(run, 'run'));
      if (missing.size === 0) break;
    }
  for (const run of missing) throw noSuchName('run', run);
  for (const tag of tags) {
    const path = `/experiments/${experimentId}/series?unlisted=true&page_size=1&tag=${encodeURIComponent(tag)}`;
    const { series } = await api.get(path, 'Looking for a tag');
    if (!Array.isArray(series) || series.length === 0) throw noSuchName('tag', tag);
  }
}

function noSuchName(kind: 'run' | 'tag', name: string): CliError {
  return new CliError(exitCodes.notFound, `The experiment has no ${kind} ${JSON.stringify(name)}.`, { code: 'not-found' });
}
