import { useQuery } from '@tanstack/react-query';
import { MainArea } from '../app/main-area.tsx';
import { useMemo } from 'react';
import { formatCount, visibleText } from '#charts';
import { problemText } from '../api/problem.ts';
import { formatBytes } from '../app/bytes.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { listLogs, type LogJson } from './log-api.ts';
import { LogView } from './log-view.tsx';

/** How often the list is read again: a resumed run creates another log. */
const listAgainMs = 15_000;

/** The process output of the shown runs, one log at a time. */
export default function LogsPanel() {
  const { api, id, view } = useWorld();
  const { shown } = useContents();
  const chosen = useView((all) => all.log);
  const { data, error, refetch } = useQuery({
    queryKey: ['logs', id],
    queryFn: ({ signal }) => listLogs(api, id, signal),
    refetchInterval: listAgainMs,
  });
  const logs = useMemo(() => (data ?? []).filter(({ run }) => shown.has(run)), [data, shown]);
  if (!data)
    return (
      <MainArea className="cards" aria-busy={error === null}>
        {error && (
          <p className="bad" role="alert">
            {problemText(error)}{' '}
            <button type="button" onClick={() => void refetch()}>
              Try again
            </button>
          </p>
        )}
      </MainArea>
    );
  const log = logs.find(({ file_id: fileId }) => fileId === chosen) ?? logs.at(-1);
  if (!log)
    return (
      <MainArea className="cards">
        <div className="empty">
          <p>{data.length === 0 ? 'No logs yet. They appear here as runs print.' : 'No logs for the selected runs.'}</p>
        </div>
      </MainArea>
    );
  const choice = <LogChoice logs={logs} chosen={log} onChoose={(fileId) => changeView(view, { log: fileId })} />;
  return <LogView key={log.file_id} log={log} choice={choice} />;
}

interface LogChoiceProps {
  readonly logs: readonly LogJson[];
  readonly chosen: LogJson;
  readonly onChoose: (fileId: string) => void;
}

function LogChoice({ logs, chosen, onChoose }: LogChoiceProps) {
  const runs = Map.groupBy(logs, ({ run }) => run);
  return (
    <select className="log-choice" aria-label="Log" value={chosen.file_id} onChange={({ target }) => onChoose(target.value)}>
      {[...runs].map(([run, own]) => (
        <optgroup key={run} label={visibleText(run)}>
          {own.map((log) => (
            <option key={log.file_id} value={log.file_id}>
              {nameOf(log, own.length)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function nameOf({ run, name, rank, lines, bytes }: LogJson, ofRun: number): string {
  const size = `${formatCount(Number(lines))} ${Number(lines) === 1 ? 'line' : 'lines'}, ${formatBytes(Number(bytes))}`;
  const began = /^output\.([0-9]{10,11})\./.exec(name)?.[1];
  const time = began === undefined ? '' : ` · ${new Date(Number(began) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${visibleText(run)}${rank === null ? '' : ` · rank ${rank}`}${ofRun > 1 ? time : ''} · ${size}`;
}
