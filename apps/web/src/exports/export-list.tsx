import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { countText, formatCount } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ExportJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';
import { useWorld } from '../experiment/experiment-context.ts';
import { ExportFiles } from './export-files.tsx';

const pollMs = 1_000;
const names: Readonly<Record<ExportJson['format'], string>> = {
  csv: 'CSV',
  jsonl: 'JSON Lines',
  arrow: 'Arrow',
  parquet: 'Parquet',
  events: 'Event files',
  raw: 'Event files as uploaded',
};

/** The exports that the service is writing or storing, with progress and downloads. */
export function ExportList() {
  const { api, id } = useWorld();
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['exports', id],
    queryFn: async ({ signal }) => (await api.get<{ exports: readonly ExportJson[] }>(`/experiments/${id}/exports`, signal)).exports,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? pollMs : false),
  });
  const remove = useMutation({
    mutationFn: (exportId: string) => api.send('DELETE', `/experiments/${id}/exports/${exportId}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['exports', id] }),
  });
  const failed = error ?? remove.error;
  return (
    <section className="share-links" aria-label="Exports">
      <h3>Exports</h3>
      {failed && <p className="bad">{problemText(failed)}</p>}
      {data?.length === 0 && <p className="dim">No exports yet. Members who export the same content get the same files.</p>}
      <ul>
        {data?.map((one) => (
          <li key={one.id}>
            <div className="export-state">
              <p>
                {names[one.format]}, {contentOf(one)}
              </p>
              <State of={one} />
              {one.state === 'finished' && one.files > 1 && <ExportFiles of={one} />}
            </div>
            <div className="buttons">
              {one.state === 'finished' && one.files === 1 && (
                <a className="button small" href={api.at(`/experiments/${id}/exports/${one.id}/files/0`)} download>
                  Download
                </a>
              )}
              {isUnfinished(one) ? (
                <button type="button" className="small" disabled={remove.isPending} onClick={() => remove.mutate(one.id)}>
                  Cancel
                </button>
              ) : (
                <ConfirmButton
                  ask="Delete?"
                  label={`the export as ${names[one.format]}`}
                  disabled={remove.isPending}
                  onConfirm={() => remove.mutate(one.id)}
                >
                  Delete
                </ConfirmButton>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ of }: { readonly of: ExportJson }) {
  const { state, format, points, total_points: total, files, bytes, total_bytes: allBytes, expires, problem } = of;
  const isRaw = format === 'raw';
  if (state === 'queued') return <p className="dim">Queued</p>;
  if (state === 'running' && isRaw)
    return (
      <p className="dim">
        <progress value={bytes} max={Math.max(1, allBytes)} aria-label="Written bytes" /> {formatBytes(bytes)} of {formatBytes(allBytes)}
      </p>
    );
  if (state === 'running')
    return (
      <p className="dim">
        <progress value={points} max={Math.max(1, total)} aria-label="Written points" /> {formatCount(points)} of{' '}
        {countText(total, 'point')}
      </p>
    );
  if (state === 'failed')
    return <p className="bad">{failures[problem ?? ''] ?? 'The service could not write the export. Start it again.'}</p>;
  return (
    <p className="dim">
      {!isRaw && `${countText(points, 'point')}, `}
      {files !== 1 && `${countText(files, 'file')}, `}
      {formatBytes(bytes)}
      {expires !== null && (
        <>
          , kept until <Day of={expires} />
        </>
      )}
    </p>
  );
}

const failures: Readonly<Record<string, string>> = {
  'quota-exceeded': 'The workspace has no storage quota left for the export.',
  'stored-bytes-lost': 'Some stored bytes of a file are lost. Without --job, the CLI exports all other files.',
  'experiment-not-found': 'The experiment was deleted.',
};

function isUnfinished({ state }: ExportJson): boolean {
  return state === 'queued' || state === 'running';
}

function contentOf({ runs, tags }: ExportJson): string {
  if (runs === null && tags === null) return 'whole experiment';
  const some = (list: readonly string[] | null, one: string) =>
    list === null ? `all ${one}s` : `${list.length} ${list.length === 1 ? one : `${one}s`}`;
  return `${some(runs, 'run')}, ${some(tags, 'tag')}`;
}
