import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem.ts';
import type { ExportJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { useWorld } from '../experiment/experiment-context.ts';

/** Maximum number of files with a link; the CLI downloads any number. */
const maxLinks = 100;

interface Manifest {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly left_out?: readonly { readonly run: string; readonly name: string }[];
}

/** Links to the files of a finished export, if it has several files. */
export function ExportFiles({ of }: { readonly of: ExportJson }) {
  const { api, id } = useWorld();
  const [open, setOpen] = useState(false);
  const at = `/experiments/${id}/exports/${of.id}`;
  const { data, error } = useQuery({
    queryKey: ['export-files', id, of.id],
    queryFn: ({ signal }) => api.get<Manifest>(`${at}/manifest`, signal),
    enabled: open,
    staleTime: Infinity,
  });
  const leftOut = data?.left_out?.length ?? 0;
  return (
    <details className="export-files" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Files</summary>
      {error && <p className="bad">{problemText(error)}</p>}
      {leftOut > 0 && (
        <p className="bad">{leftOut === 1 ? '1 file is' : `${leftOut} files are`} omitted because the bytes are no longer stored.</p>
      )}
      <ol>
        {data?.files.slice(0, maxLinks).map(({ path, bytes }, number) => (
          <li key={path}>
            <a href={api.at(`${at}/files/${number}`)} download>
              {path}
            </a>{' '}
            {formatBytes(bytes)}
          </li>
        ))}
      </ol>
      {data && data.files.length > maxLinks && <p>The first {maxLinks}. The CLI downloads all of them.</p>}
    </details>
  );
}
