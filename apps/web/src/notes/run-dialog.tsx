import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatHparam, visibleText } from '#charts';
import { Dialog } from '../app/dialog.tsx';
import { useMay } from '../app/use-may.ts';
import { useNow } from '../app/use-now.ts';
import { homeOf, runText } from '../compare/compared-run.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { RunLink } from '../run-page/run-link.tsx';
import { runState, stateNames } from '../runs/run-state.ts';
import type { Written } from './written.ts';
import { WrittenForm } from './written-form.tsx';
import { WrittenText } from './written-text.tsx';

/** Maximum characters, as in the service. */
const most = { notes: 2_000 } as const;

/** The properties of a run, and its notes. */
export default function RunDialog({ run: name, onClose }: { readonly run: string; readonly onClose: () => void }) {
  const { api, id } = useWorld();
  const { experiment, runs, compared } = useContents();
  const client = useQueryClient();
  const home = homeOf(name, compared, id);
  const mayChange = useMay()('experiment.update') && (home.id !== id || experiment.snapshot === null);
  const [editing, setEditing] = useState(false);
  const change = useMutation({
    mutationFn: (changes: Partial<Written> & { readonly archived?: boolean }) =>
      api.send('PATCH', `/experiments/${home.id}/runs`, { runs: [home.run], ...changes }),
    onSuccess: () => {
      setEditing(false);
      return client.invalidateQueries({ queryKey: home.id === id ? ['runs', id] : ['compared', home.id] });
    },
  });
  const now = useNow(15_000);
  const stalledAfter = useView((all) => all.stalledAfter);
  const run = runs.find((one) => one.run === name);
  if (!run) return null;
  const hparams = Object.entries(run.hparams);
  return (
    <Dialog title={runText(name)} onClose={onClose}>
      <p className="facts">
        <span>{stateNames[runState(run, now, stalledAfter)]}</span>
        <Moment name="Started" seconds={run.start_time} />
        <Moment name="Last point" seconds={run.last_time} />
        <RunLink run={name}>Open the page of this run</RunLink>
      </p>
      {editing ? (
        <WrittenForm
          written={{ labels: run.labels, notes: run.notes ?? '' }}
          most={most}
          error={change.error}
          busy={change.isPending}
          onSave={(changes) => change.mutate(changes)}
          onDone={() => setEditing(false)}
        />
      ) : (
        <WrittenText
          labels={run.labels}
          archived={run.archived}
          notes={run.notes}
          mayChange={mayChange}
          error={change.error}
          busy={change.isPending}
          onEdit={() => setEditing(true)}
          onArchive={(archived) => change.mutate({ archived })}
        />
      )}
      {hparams.length > 0 && (
        <>
          <h3>Hyperparameters</h3>
          <dl className="pairs">
            {hparams.map(([key, value]) => (
              <div key={key}>
                <dt className="dim">{visibleText(key)}</dt>
                <dd>{visibleText(formatHparam(value))}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Dialog>
  );
}

/** A wall time of a log, which may be anything. */
function Moment({ name, seconds }: { readonly name: string; readonly seconds: number | string | null }) {
  const date = new Date(Number(seconds ?? Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <span>
      {name} <time dateTime={date.toISOString()}>{date.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
    </span>
  );
}
