import { lazy, Suspense } from 'react';
import type { Tab } from '#charts';
import { CardGrid } from '../experiment/card-grid.tsx';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import { Toolbar } from '../experiment/toolbar.tsx';

/** What is not the first thing that people see is loaded when it is wanted. */
const panels: Readonly<Record<Exclude<Tab, 'scalars'>, React.ComponentType>> = {
  histograms: lazy(() => import('./histograms/histograms-panel.tsx')),
  images: lazy(() => import('./media/images-panel.tsx')),
  audio: lazy(() => import('./media/audio-panel.tsx')),
  text: lazy(() => import('./text/text-panel.tsx')),
  pr_curves: lazy(() => import('./curves/curves-panel.tsx')),
  hparams: lazy(() => import('./hparams/hparams-panel.tsx')),
  graphs: lazy(() => import('./graph/graph-panel.tsx')),
  other: lazy(() => import('./other-panel.tsx')),
};

/** The chosen kind of data. */
export function DataTab() {
  const { firstCharts } = useWorld();
  const tab = useView((view) => view.tab);
  if (tab === 'scalars')
    return (
      <>
        <Toolbar />
        <CardGrid />
      </>
    );
  const Panel = panels[tab];
  // On the server there is nothing to wait for: the script draws it
  if (firstCharts === 'server') return <main className="cards" />;
  return (
    <Suspense fallback={<main className="cards" aria-busy="true" />}>
      <Panel />
    </Suspense>
  );
}
