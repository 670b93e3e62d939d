import { formatCount } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { runText } from '../../compare/compared-run.ts';
import { useContents } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { MatrixCard } from './matrix-card.tsx';
import { useTensorRuns } from './unlisted-tensors.ts';

/** Maximum number of runs, because each run is loaded and projected separately. */
const maxRuns = 12;

/** The matrices of a tag as points, for each visible run that has the tag. */
export default function Matrices({ tag, plugin }: { readonly tag: string; readonly plugin: string }) {
  const { shown } = useContents();
  const all = useTensorRuns({ tag, plugin });
  const runs = all?.filter((run) => shown.has(run));
  if (!runs) return <p className="dim" aria-busy="true" />;
  return (
    <>
      {runs.length === 0 && <p className="dim">No data for the selected runs.</p>}
      <div className="matrices">
        {runs.slice(0, maxRuns).map((run) => (
          <Boundary key={run} what={runText(run)}>
            <Near height={420}>
              <MatrixCard run={run} tag={tag} plugin={plugin} />
            </Near>
          </Boundary>
        ))}
      </div>
      {runs.length > maxRuns && <p className="dim">and {formatCount(runs.length - maxRuns)} more runs. Select the runs to show.</p>}
    </>
  );
}
