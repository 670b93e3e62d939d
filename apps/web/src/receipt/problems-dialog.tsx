import { useQuery } from '@tanstack/react-query';
import { formatCount, visibleText } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ReceiptJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { Dialog } from '../app/dialog.tsx';
import { useWorld } from '../experiment/experiment-context.ts';

interface ProblemsJson {
  readonly problems: ReceiptJson['problems'];
  readonly next_page_token?: string;
}

/** Maximum problems in the dialog; the JSON contains all of them. */
const maxProblems = 500;

/** Which parts of the files could not be read, and why. */
export default function ProblemsDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, id } = useWorld();
  const path = `/experiments/${id}/problems`;
  const { data, error } = useQuery({
    queryKey: ['listed-problems', id],
    queryFn: ({ signal }) => api.get<ProblemsJson>(`${path}?page_size=${maxProblems}`, signal),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title="Problems in files" onClose={onClose}>
      {error && !data && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      {!data && !error && <p className="dim" aria-busy="true" />}
      {data && <Problems {...data} />}
      <p>
        <a href={api.at(path)}>View as JSON</a>
      </p>
    </Dialog>
  );
}

function Problems({ problems, next_page_token: next }: ProblemsJson) {
  return (
    <>
      <div className="scroll receipt-files" role="region" aria-label="Problems" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>File</th>
              <th className="number">Byte</th>
              <th className="number">Skipped</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {problems.map(({ file_id: fileId, run, file, version, offset, bytes, reason, detail }, i) => (
              <tr key={`${fileId}/${version}/${offset}/${i}`}>
                <td className="title">
                  {run !== '.' && <span className="dim">{visibleText(run)}/</span>}
                  {visibleText(file)}
                </td>
                <td className="number">{formatCount(offset)}</td>
                <td className="number">{formatBytes(Number(bytes))}</td>
                <td>
                  <code>{reason}</code>: {visibleText(detail)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next !== undefined && <p className="dim">These are the first {formatCount(problems.length)}; the JSON contains all of them.</p>}
    </>
  );
}
