import { useQuery } from '@tanstack/react-query';
import { countText, formatCount, visibleText } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ReceiptJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { Command } from '../app/command.tsx';
import { Dialog } from '../app/dialog.tsx';
import { useWorld } from '../experiment/experiment-context.ts';

/** Maximum files in the dialog; the JSON contains all of them. */
const maxFiles = 500;

/** The data that the service received and ingested, and how to compare it with local files. */
export default function ReceiptDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, id } = useWorld();
  const path = `/experiments/${id}/receipt`;
  const { data, error } = useQuery({
    queryKey: ['receipt', id],
    queryFn: ({ signal }) => api.get<ReceiptJson>(path, signal),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title="Upload receipt" onClose={onClose}>
      {error && !data && (
        <p className="bad" role="alert">
          {problemText(error)}
        </p>
      )}
      {!data && !error && <p className="dim" aria-busy="true" />}
      {data && <Receipt receipt={data} id={id} />}
      <p>
        <a href={api.at(path)}>View as JSON</a>
      </p>
    </Dialog>
  );
}

function Receipt({ receipt, id }: { readonly receipt: ReceiptJson; readonly id: string }) {
  const { totals, frontier, problems, digest, files } = receipt;
  const pending = Number(frontier.acknowledged_bytes) - Number(frontier.visible_bytes);
  const listed = files.slice(0, maxFiles);
  return (
    <>
      <p>
        {several(totals.files, 'file')}, {formatBytes(Number(totals.bytes))}, received and stored.{' '}
        {pending > 0 ? `${formatBytes(pending)} are not visible yet.` : 'All of it is visible.'}
      </p>
      <dl className="pairs">
        <Pair name="Points" value={formatCount(totals.points)} />
        <Pair name="Tensors" value={formatCount(totals.tensors)} />
        <Pair name="Media files" value={formatCount(totals.blobs)} />
        {Number(totals.invalid_points) > 0 && <Pair name="Invalid points" value={formatCount(totals.invalid_points)} />}
        <Pair name="Problems" value={problems.length === 0 ? 'none' : formatCount(problems.length)} />
      </dl>
      <section className="field" aria-label="Digest">
        <h3>Digest</h3>
        <p className="dim">SHA-256 over the name, size and checksum of every file. It changes if a single byte differs.</p>
        <Command text={digest} />
      </section>
      <section className="field" aria-label="Verify">
        <h3>Verify</h3>
        <p className="dim">Compares every file and every point with the logs on your disk:</p>
        <Command text={`npm run -s plotline -- verify ${id} --logdir ./runs`} />
      </section>
      <div className="scroll receipt-files" role="region" aria-label="Files" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>File</th>
              <th className="number">Size</th>
              <th>CRC-32C</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ file_id: fileId, run, name, version, bytes, crc32c, complete }) => (
              <tr key={`${fileId}/${version}`}>
                <td className="title">
                  {run !== '.' && <span className="dim">{visibleText(run)}/</span>}
                  {visibleText(name)}
                </td>
                <td className="number" title={countText(bytes, 'byte')}>
                  {formatBytes(Number(bytes))}
                </td>
                <td>
                  <code>{crc32c}</code>
                </td>
                <td>{complete ? 'complete' : 'open'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {files.length > listed.length && <p className="dim">and {formatCount(files.length - listed.length)} more files</p>}
    </>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt className="dim">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function several(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
}
