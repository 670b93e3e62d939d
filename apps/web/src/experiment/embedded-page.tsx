import { viewParameters } from '#charts';
import { usePage } from '../app/page-context.ts';
import { ChartCard } from '../chart/card.tsx';
import { DataTab } from '../data/data-tab.tsx';
import { useTab } from '../data/use-tab.ts';
import { RunCaption } from '../data/run-caption.tsx';
import { LiveBadge } from '../live/live-badge.tsx';
import { CardGrid } from './card-grid.tsx';
import { useContents, useView, useWorld } from './experiment-context.ts';
import { titleOf } from './experiment-title-text.ts';

/** Maximum number of runs in the legend. */
const maxNamed = 12;

/**
 * Only the charts, for a frame on another page, with a legend and a link to the full page below
 * them.
 */
export function EmbeddedPage() {
  const view = useView((all) => all);
  const { id } = useWorld();
  const { base, still = false } = usePage();
  const { experiment } = useContents();
  const text = viewParameters({ ...view, embed: false }).toString();
  return (
    <div className={`embedded${still ? ' still' : ''}`}>
      <h1 className="unseen">{titleOf(experiment)}</h1>
      <Content />
      <footer>
        <Legend />
        <LiveBadge />
        {still ? (
          <span className="end cut dim">{titleOf(experiment)}</span>
        ) : (
          <a className="end cut" href={`${base}/e/${id}${text === '' ? '' : `?${text}`}`} target="_blank" rel="noopener">
            {titleOf(experiment)}
          </a>
        )}
      </footer>
    </div>
  );
}

/** The first shown runs. */
export function Legend() {
  const { runs, shown } = useContents();
  const named = runs.filter(({ run }) => shown.has(run)).slice(0, maxNamed);
  return (
    <>
      {named.map(({ run }) => (
        <RunCaption key={run} run={run} />
      ))}
      {shown.size > named.length && <span className="dim">and {shown.size - named.length} more</span>}
    </>
  );
}

function Content() {
  const tab = useTab();
  const card = useView((view) => view.card);
  if (tab !== 'scalars') return <DataTab />;
  if (card === null) return <CardGrid />;
  return (
    <main className="one">
      <ChartCard key={card} tag={card} size="large" />
    </main>
  );
}
