import { formatHparam, visibleText } from '#charts';
import { Dialog } from '../app/dialog.tsx';
import { useNow } from '../app/use-now.ts';
import { runText } from '../compare/compared-run.ts';
import { useContents, useView } from '../experiment/experiment-context.ts';
import { RunLink } from '../run-page/run-link.tsx';
import { runState, stateNames } from '../runs/run-state.ts';
import { RunNotes } from './run-notes.tsx';

/** A run's properties and notes. */
export default function RunDialog({ run: name, onClose }: { readonly run: string; readonly onClose: () => void }) {
  const { runs } = useContents();
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
        <RunLink run={name}>Open run page</RunLink>
      </p>
      <RunNotes run={run} />
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

/** The logged wall time, which can be any number. */
function Moment({ name, seconds }: { readonly name: string; readonly seconds: number | string | null }) {
  const date = new Date(Number(seconds ?? Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <span>
      {name} <time dateTime={date.toISOString()}>{date.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
    </span>
  );
}
