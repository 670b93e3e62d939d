import { Suspense } from 'react';
import { MainArea } from '../app/main-area.tsx';
import { formatCount, naturally, toggled, visibleText } from '#charts';
import { Boundary } from '../app/boundary.tsx';
import { Command } from '../app/command.tsx';
import { later } from '../app/later.ts';
import { usePage } from '../app/page-context.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { useUnlistedTensors } from './points/unlisted-tensors.ts';
import { tabOf } from './tabs.ts';

const Matrices = later(() => import('./points/matrices.tsx'));

interface OtherTag {
  readonly tag: string;
  readonly plugin: string;
  readonly isTensor: boolean;
  readonly runs: number;
}

/**
 * Logged data that has no tab. Draws matrices as points, lists everything else, and explains where
 * to view it.
 */
export default function OtherPanel() {
  const { tags } = useContents();
  const { api, id } = useWorld();
  const { server } = usePage();
  const unlisted = useUnlistedTensors();
  const others = [
    ...tags
      .filter((tag) => tabOf(tag) === 'other')
      .map(({ tag, plugin, data_class: dataClass, runs }): OtherTag => ({ tag, plugin, isTensor: dataClass === 'tensor', runs })),
    ...unlisted.map((one): OtherTag => ({ ...one, isTensor: true })),
  ].sort((a, b) => naturally(a.plugin, b.plugin) || naturally(a.tag, b.tag));
  const shown = others.slice(0, maxRows);
  return (
    <MainArea className="cards" tabIndex={-1}>
      <div className="prose">
        <p>
          Stored as logged. {!api.isStored && 'Matrices can be shown as points, one per row. '}
          To view anything else (custom layouts, your own plugins), open this data in stock TensorBoard on your machine:
        </p>
        <Command text={`PLOTLINE_SERVER=${server} npm run -s plotline -- tensorboard ${id}`} />
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Tags">
        <table>
          <thead>
            <tr>
              <th>Tag</th>
              <th>Plugin</th>
              <th>Kind</th>
              <th className="number">Runs</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <Row key={`${one.plugin}/${one.isTensor}/${one.tag}`} {...one} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim other-data">
        {others.length > shown.length && `and ${formatCount(others.length - shown.length)} more. `}
        <a href={api.at(`/experiments/${id}/series?unlisted=true`)}>All series as JSON</a>
      </p>
    </MainArea>
  );
}

function Row({ tag, plugin, isTensor, runs }: OtherTag) {
  const { api, view } = useWorld();
  const open = useView((all) => all.open);
  const canOpen = isTensor && !api.isStored;
  const isOpen = canOpen && open.includes(tag);
  return (
    <>
      <tr>
        <td className="title">
          {tag === '' ? <span className="dim">(no name)</span> : visibleText(tag)}
          {canOpen && (
            <button
              type="button"
              className="quiet"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? 'Hide points' : 'Show as points'}: ${visibleText(tag)}`}
              onClick={() => changeView(view, { open: toggled(open, tag) })}
            >
              {isOpen ? 'Hide points' : 'Show as points'}
            </button>
          )}
        </td>
        <td>{plugin === '' ? <span className="dim">none</span> : visibleText(plugin)}</td>
        <td>{isTensor ? 'tensor' : 'blobs'}</td>
        <td className="number">{formatCount(runs)}</td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            <Boundary what={visibleText(tag)}>
              <Suspense fallback={<p aria-busy="true" />}>
                <Matrices tag={tag} plugin={plugin} />
              </Suspense>
            </Boundary>
          </td>
        </tr>
      )}
    </>
  );
}

const maxRows = 500;
