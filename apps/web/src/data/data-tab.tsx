import { Suspense } from 'react';
import { MainArea } from '../app/main-area.tsx';
import type { Tab } from '#charts';
import { Boundary, brokenPanel } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { CardGrid } from '../experiment/card-grid.tsx';
import { useWorld } from '../experiment/experiment-context.ts';
import { Toolbar } from '../experiment/toolbar.tsx';
import { NoMeshes } from './meshes/no-meshes.tsx';
import { useTab } from './use-tab.ts';

/** Whether this is the page of a bundle, which is a single file. Set by the build. */
declare const isBundle: boolean;

/** Every tab except the first is loaded on demand. */
const panels: Readonly<Record<Exclude<Tab, 'scalars' | 'system'>, React.ComponentType>> = {
  runs: later(() => import('../runs-table/runs-panel.tsx')),
  histograms: later(() => import('./histograms/histograms-panel.tsx')),
  images: later(() => import('./media/images-panel.tsx')),
  audio: later(() => import('./media/audio-panel.tsx')),
  text: later(() => import('./text/text-panel.tsx')),
  pr_curves: later(() => import('./curves/curves-panel.tsx')),
  meshes: isBundle ? NoMeshes : later(() => import('./meshes/meshes-panel.tsx')),
  hparams: later(() => import('./hparams/hparams-panel.tsx')),
  graphs: later(() => import('./graph/graph-panel.tsx')),
  logs: later(() => import('../logs/logs-panel.tsx')),
  other: later(() => import('./other-panel.tsx')),
};

/** The selected kind of data. */
export function DataTab() {
  const { firstCharts } = useWorld();
  const tab = useTab();
  if (tab === 'scalars' || tab === 'system')
    return (
      <Boundary key={tab} what="This" around={brokenPanel}>
        <Toolbar />
        <CardGrid of={tab} />
      </Boundary>
    );
  const Panel = panels[tab];
  // Nothing to load on the server: the script draws this tab
  if (firstCharts === 'server') return <MainArea className="cards" />;
  return (
    <Boundary key={tab} what="This" around={brokenPanel}>
      <Suspense fallback={<MainArea className="cards" aria-busy="true" />}>
        <Panel />
      </Suspense>
    </Boundary>
  );
}
