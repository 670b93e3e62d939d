import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  useRouter,
} from '@tanstack/react-router';
import { Suspense } from 'react';
import { searchWithRun } from '#charts';
import { ExperimentScreen } from '../experiment/experiment-screen.tsx';
import { Boundary } from './boundary.tsx';
import { Frame } from './frame.tsx';
import { later, loadPart } from './later.ts';
import { NavLink } from './nav-link.tsx';
import { Note } from './note.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
// Loaded before anything is rendered, so that the server's HTML stays visible until then
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => loadPart(() => import('../home/home-route.tsx'))),
});
const experiment = createRoute({ getParentRoute: () => root, path: '/e/$experimentId', component: Experiment });
// The same component renders both routes, and stays mounted when the path changes
const wholeExperiment = createRoute({ getParentRoute: () => experiment, path: '/' });
const run = createRoute({ getParentRoute: () => experiment, path: 'r/$' });
// Rarely opened pages are loaded on demand
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: laterPage(() => import('../workspace/tokens-screen.tsx')),
});
const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  component: laterPage(() => import('../workspace/members-screen.tsx')),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  component: laterPage(() => import('../workspace/usage-screen.tsx')),
});
const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  component: laterPage(() => import('../reports/reports-screen.tsx')),
});
const report = createRoute({
  getParentRoute: () => root,
  path: '/reports/$reportId',
  component: laterPage(() => import('../reports/report-screen.tsx')),
});
const reportEditor = createRoute({
  getParentRoute: () => root,
  path: '/reports/$reportId/edit',
  component: laterPage(() => import('../reports/editor-screen.tsx')),
});

/**
 * The routes of the pages. `base`: the prefix of all routes; `history`: the browser's history by
 * default.
 */
export function makeRouter(base: string, history?: RouterHistory) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      experiment.addChildren([wholeExperiment, run]),
      tokens,
      members,
      usage,
      reports,
      report,
      reportEditor,
    ]),
    defaultErrorComponent: Broken,
    ...(history && { history }),
    basepath: base === '' ? '/' : base,
    // `parseView` and `viewParameters` read and write the query string; the router leaves it
    // unchanged
    parseSearch: (text) => ({ text: text.replace(/^\?/, '') }),
    stringifySearch: ({ text }) => (typeof text === 'string' && text !== '' ? `?${text}` : ''),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

/** A page that is loaded on demand. */
function laterPage(load: () => Promise<{ default: React.ComponentType }>): () => React.ReactNode {
  const Screen = later(load);
  return () => (
    <Boundary
      what="This page"
      around={(sentence) => (
        <Frame>
          <main className="note">{sentence}</main>
        </Frame>
      )}
    >
      <Suspense
        fallback={
          <Frame>
            <main className="page" aria-busy="true" />
          </Frame>
        }
      >
        <Screen />
      </Suspense>
    </Boundary>
  );
}

function Experiment() {
  const { experimentId } = experiment.useParams();
  const { history } = useRouter();
  const { pathname, search } = history.location; // the browser's path, because the router decodes paths
  return <ExperimentScreen key={experimentId} id={experimentId} search={searchWithRun(pathname, search)} />;
}

/** Shown for errors that no inner boundary caught. */
function Broken() {
  return (
    <Note title="This page can't be shown">
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Note>
  );
}

function NotFound() {
  return (
    <Frame>
      <Note title="Page not found">
        <p>
          It may have been deleted, or you don't have access to it. <NavLink to="/">Go to experiments</NavLink>
        </p>
      </Note>
    </Frame>
  );
}
