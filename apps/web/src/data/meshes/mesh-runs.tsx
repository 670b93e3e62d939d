import { useState } from 'react';
import { formatCount, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { runText } from '../../compare/compared-run.ts';
import { useContents } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { useTensorRuns } from '../points/unlisted-tensors.ts';
import { TagHead } from '../tag-head.tsx';
import { MeshCard } from './mesh-card.tsx';
import { Viewpoint } from './mesh-drawing.ts';
import { meshTag } from './mesh-tags.ts';

/** Maximum runs, because each mesh can have millions of numbers. */
const maxRuns = 24;

/** A mesh for each shown run, all seen from one viewpoint. */
export function MeshRuns({ name }: { readonly name: string }) {
  const { shown } = useContents();
  const all = useTensorRuns({ tag: meshTag(name, 'VERTEX'), plugin: 'mesh' });
  const [viewpoint] = useState(() => new Viewpoint());
  const [index, setIndex] = useState(0);
  const runs = all?.filter((run) => shown.has(run));
  return (
    <article className="values" aria-label={visibleText(name)}>
      <TagHead tag={name}>
        <button type="button" className="quiet" onClick={() => viewpoint.reset()}>
          Reset view
        </button>
      </TagHead>
      {!runs && <p className="dim" aria-busy="true" />}
      {runs?.length === 0 && <p className="dim">No data for the selected runs.</p>}
      <div className="meshes">
        {runs?.slice(0, maxRuns).map((run) => (
          <Boundary key={run} what={runText(run)}>
            <Near height={380}>
              <MeshCard run={run} name={name} index={index} choose={setIndex} viewpoint={viewpoint} />
            </Near>
          </Boundary>
        ))}
      </div>
      {runs && runs.length > maxRuns && <p className="dim">and {formatCount(runs.length - maxRuns)} more runs. Select the runs to show.</p>}
    </article>
  );
}
