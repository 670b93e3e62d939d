import { useMemo, useState } from 'react';
import { viewParameters } from '#charts';
import { NavLink } from '../app/nav-link.tsx';
import { ChartCard } from '../chart/card.tsx';
import { DataTab } from '../data/data-tab.tsx';
import { useTab } from '../data/use-tab.ts';
import { scalarTags, tagOrder } from '../experiment/card-rows.ts';
import { Legend } from '../experiment/embedded-page.tsx';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { ChosenCard } from '../experiment/experiment-page.tsx';
import { titleOf } from '../experiment/experiment-title-text.ts';

/** Maximum charts in one block. */
const maxCharts = 12;

/**
 * The view of a block: a single chart, several charts, a table or media. The runs and a link are
 * below it.
 */
export function BlockContent() {
  const tab = useTab();
  const isChart = tab === 'scalars' || tab === 'system';
  return (
    <>
      {isChart ? <Charts of={tab} /> : <Panel tab={tab} />}
      <BlockFoot hasLegend={isChart} />
    </>
  );
}

function Panel({ tab }: { readonly tab: string }) {
  return (
    <div className={`report-panel ${tab}`}>
      <DataTab />
    </div>
  );
}

function Charts({ of }: { readonly of: 'scalars' | 'system' }) {
  const { view } = useWorld();
  const { tags } = useContents();
  const [alone] = useState(view.value.card); // a chart that is enlarged later opens over the report
  const all = useView((one) => one);
  const shown = useMemo(() => tagOrder(scalarTags(tags, all.tagFilter, of), all), [tags, all, of]);
  if (alone !== null && tags.some(({ tag }) => tag === alone)) return <ChartCard tag={alone} size="large" />;
  if (alone !== null) return <p className="dim">This experiment no longer has a tag with this name.</p>;
  return (
    <>
      <div className="card-row">
        {shown.slice(0, maxCharts).map((tag) => (
          <ChartCard key={tag} tag={tag} size="card" />
        ))}
      </div>
      {shown.length === 0 && <p className="dim">No charts match this view.</p>}
      {shown.length > maxCharts && <p className="dim">{shown.length - maxCharts} more charts are on the experiment page.</p>}
      <ChosenCard />
    </>
  );
}

function BlockFoot({ hasLegend }: { readonly hasLegend: boolean }) {
  const { api, id } = useWorld();
  const { experiment } = useContents();
  const text = useView((view) => viewParameters({ ...view, embed: false }).toString());
  return (
    <div className="report-foot">
      {hasLegend && <Legend />}
      <span className="end">
        {!api.isStored && <span className="dim">{experiment.snapshot ? 'Frozen' : 'Live'}</span>}
        <NavLink className="cut" to={`/e/${id}${text === '' ? '' : `?${text}`}`}>
          {titleOf(experiment)}
        </NavLink>
      </span>
    </div>
  );
}
