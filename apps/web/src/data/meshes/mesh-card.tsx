import { useEffect, useMemo } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import { maxChoices } from '../../app/choices.ts';
import { runText } from '../../compare/compared-run.ts';
import { useView } from '../../experiment/experiment-context.ts';
import { type SteppedTensors, useSteppedTensors } from '../points/stepped-tensors.ts';
import type { PackedTensor } from '../points/matrix.ts';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider } from '../step-slider.tsx';
import { indexAt } from '../values.ts';
import { boxOfSteps, countMeshes, type Mesh, readMesh } from './mesh.ts';
import type { Viewpoint } from './mesh-drawing.ts';
import { meshParts, meshTag } from './mesh-tags.ts';
import { MeshView } from './mesh-view.tsx';

interface MeshCardProps {
  readonly run: string;
  readonly name: string;
  /** Index of the shown mesh among the meshes that were logged together, starting at 0. */
  readonly index: number;
  readonly choose: (index: number) => void;
  readonly viewpoint: Viewpoint;
}

/** A mesh of one run at one step. */
export function MeshCard({ run, name, index: wanted, choose, viewpoint }: MeshCardProps) {
  const step = useView((view) => view.step);
  const { found, error, retry } = useSteppedTensors({ run, tags: meshParts.map((part) => meshTag(name, part)), plugin: 'mesh' });
  const [vertices, faces, colors] = found ?? [];
  const steps = useMemo(() => (vertices?.steps ?? []).map(Number), [vertices]);
  const at = indexAt(steps, step);
  const tensor = vertices?.tensors[at];
  const count = countMeshes(tensor);
  const index = Math.min(wanted, Math.max(0, count - 1));
  const mesh = useMemo(
    () => tensor && readMesh({ vertices: tensor, faces: tensorAt(faces, steps[at]!), colors: tensorAt(colors, steps[at]!) }, index),
    [tensor, faces, colors, steps, at, index],
  );
  // All steps have one scale, so that they can be compared
  const box = useMemo(() => boxOfSteps(vertices?.tensors ?? [], index), [vertices, index]);
  useEffect(() => {
    if (box) viewpoint.fit(run, box);
  }, [box, run, viewpoint]);
  return (
    <section className="mesh" aria-label={`${visibleText(name)}, ${runText(run)}`}>
      <header>
        <RunCaption run={run}>{mesh && typeof mesh !== 'string' && sizeOf(mesh)}</RunCaption>
        {vertices && <StepSlider steps={steps} label={visibleText(name)} />}
        {count > 1 && (
          <label>
            mesh{' '}
            <select value={index} onChange={({ target }) => choose(Number(target.value))}>
              {Array.from({ length: Math.min(count, maxChoices) }, (_, i) => (
                <option key={i} value={i}>
                  {i + 1} of {formatCount(count)}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      <StateNote pending={found === undefined} error={error} empty={vertices?.tensors.length === 0} retry={retry} />
      {typeof mesh === 'string' && <p className="dim">{mesh}</p>}
      {mesh && typeof mesh !== 'string' && (
        <>
          <MeshView mesh={mesh} run={run} label={`${visibleText(name)}, ${runText(run)}: ${sizeOf(mesh)}`} viewpoint={viewpoint} />
          <Remarks mesh={mesh} />
        </>
      )}
      {vertices && vertices.total > steps.length && (
        <p className="dim">
          {formatCount(steps.length)} of {formatCount(vertices.total)} steps
        </p>
      )}
    </section>
  );
}

function Remarks({ mesh: { verticesLeftOut, trianglesLeftOut, remark } }: { readonly mesh: Mesh }) {
  return (
    <>
      {remark !== null && <p className="dim">{remark}</p>}
      {verticesLeftOut > 0 && (
        <p className="dim">Omitted: {countText(verticesLeftOut, 'vertex', 'vertices')} with non-finite coordinates.</p>
      )}
      {trianglesLeftOut > 0 && (
        <p className="dim">Omitted: {countText(trianglesLeftOut, 'face')} with vertices that do not exist or are omitted.</p>
      )}
    </>
  );
}

function sizeOf({ positions, triangles }: Mesh): string {
  const points = countText(positions.length / 3, triangles ? 'vertex' : 'point', triangles ? 'vertices' : 'points');
  return triangles ? `${points}, ${countText(triangles.length / 3, 'face')}` : points;
}

/** The tensor at a step, or the last one before that step: faces are often logged only once. */
function tensorAt(found: SteppedTensors | undefined, step: number): PackedTensor | undefined {
  if (!found || found.steps.length === 0 || Number(found.steps[0]) > step) return undefined;
  return found.tensors[indexAt(found.steps, step)];
}
