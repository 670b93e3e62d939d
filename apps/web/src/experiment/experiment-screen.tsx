import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Frame } from '../app/frame.tsx';
import { NavLink } from '../app/nav-link.tsx';
import { Note } from '../app/note.tsx';
import { ApiProblem, problemText } from '../api/problem.ts';
import { useStore } from '../app/store.ts';
import { useOthers } from '../compare/use-others.ts';
import { useLive } from '../live/use-live.ts';
import { ExperimentContext } from './experiment-context.ts';
import { titleOf } from './experiment-title-text.ts';
import { ExperimentPage } from './experiment-page.tsx';
import { useAddress } from './use-address.ts';
import { useLastView } from './use-last-view.ts';
import { useExperimentWorld } from './use-experiment-world.ts';

/**
 * How often the page polls the service, because only the service notices that a heartbeat has
 * stopped.
 */
const heartbeatMs = 60_000;

/**
 * The page of an experiment in a browser. Its data is delivered with the page or requested, and is
 * kept up to date.
 */
export function ExperimentScreen({ id, search }: { readonly id: string; readonly search: string }) {
  const world = useExperimentWorld(id, search);
  const { api } = world;
  const path = `/experiments/${id}`;
  const experiment = useQuery({
    queryKey: ['experiment', id],
    queryFn: ({ signal }) => api.get<ExperimentJson>(path, signal),
  });
  const runs = useQuery({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => api.list<RunJson>(`${path}/runs?page_size=1000`, 'runs', signal),
    refetchInterval: ({ state: { data } }) =>
      !api.isStored && data?.some(({ state }) => state === 'running' || state === 'stalled') ? heartbeatMs : false,
  });
  const tags = useQuery({
    queryKey: ['tags', id],
    queryFn: ({ signal }) => api.list<TagJson>(`${path}/tags`, 'tags', signal),
  });
  const others = useOthers(
    api,
    id,
    useStore(world.view, (view) => view.compare),
  );
  useAddress(world.view);
  useLastView(world.view, id);
  // Events about unknown runs would cause a second request
  useLive(world, runs.data && tags.data ? experiment.data : undefined, others.parts);
  const title = experiment.data ? titleOf(experiment.data) : 'Experiment';
  useEffect(() => {
    document.title = `${title} · Plotline`;
  }, [title]);

  const failed = experiment.error ?? runs.error ?? tags.error;
  if (experiment.data && runs.data && tags.data)
    return (
      <ExperimentContext value={world}>
        <ExperimentPage experiment={experiment.data} runs={runs.data} tags={tags.data} others={others} />
      </ExperimentContext>
    );
  return <Frame>{failed ? <Failed error={failed} /> : <p className="waiting">Loading …</p>}</Frame>;
}

function Failed({ error }: { readonly error: Error }) {
  const missing = error instanceof ApiProblem && (error.status === 401 || error.status === 404);
  return missing ? (
    <Note title="Page not found">
      <p>It may have been deleted, or you don't have access to it.</p>
      <p>
        <NavLink to="/">Go to experiments</NavLink>
      </p>
    </Note>
  ) : (
    <Note title="Something went wrong">
      <p>{problemText(error)}</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </Note>
  );
}
