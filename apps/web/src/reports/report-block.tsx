import { useQuery } from '@tanstack/react-query';
import { type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { parseReportBlock, type ReportView, visibleText } from '#charts';
import { ApiContext } from '../api/api-context.ts';
import { ApiProblem, problemText } from '../api/problem.ts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Boundary } from '../app/boundary.tsx';
import { CardHeadingLevel, MainElement } from '../app/main-area.tsx';
import { usePage } from '../app/page-context.ts';
import { useStore } from '../app/store.ts';
import { useOthers } from '../compare/use-others.ts';
import { ExperimentContext } from '../experiment/experiment-context.ts';
import { ExperimentPage } from '../experiment/experiment-page.tsx';
import { useExperimentWorld } from '../experiment/use-experiment-world.ts';
import type { LiveForm } from '../live/follow.ts';
import { useLive } from '../live/use-live.ts';
import { BlockContent } from './block-content.tsx';
import { LiveSlotsContext } from './live-slots.ts';

/** In bundles, addresses have no origin, because files have none. */
const storedSite = { origin: 'https://bundle.invalid', base: '' };

/** A code block of a report, shown as the view to which its URL leads. */
export function ReportBlock({ text }: { readonly text: string }) {
  const { base } = usePage();
  const isStored = use(ApiContext)?.isStored === true;
  const block = useMemo(() => parseReportBlock(text, isStored ? storedSite : { origin: location.origin, base }), [text, isStored, base]);
  if ('fault' in block) return <BlockMessage text={text}>{block.fault}</BlockMessage>;
  return (
    <MainElement value="div">
      <CardHeadingLevel value={2}>
        <Boundary what="This view" around={(sentence) => <div className="report-block">{sentence}</div>}>
          <View key={`${block.experimentId}?${block.search}`} view={block} text={text} />
        </Boundary>
      </CardHeadingLevel>
    </MainElement>
  );
}

/**
 * Replaces a view that cannot be shown. Includes the text of the block, so that the author can find
 * it.
 */
function BlockMessage({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <div className="report-block missing" role="note">
      <p>{children}</p>
      {text.trim() !== '' && <code className="dim">{visibleText(text.trim().split('\n', 1)[0]!)}</code>}
    </div>
  );
}

function View({ view: { experimentId: id, search, caption }, text }: { readonly view: ReportView; readonly text: string }) {
  const world = useExperimentWorld(id, search);
  const { api } = world;
  const path = `/experiments/${id}`;
  const experiment = useQuery({ queryKey: ['experiment', id], queryFn: ({ signal }) => api.get<ExperimentJson>(path, signal) });
  const runs = useQuery({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => api.list<RunJson>(`${path}/runs?page_size=1000`, 'runs', signal),
  });
  const tags = useQuery({ queryKey: ['tags', id], queryFn: ({ signal }) => api.list<TagJson>(`${path}/tags`, 'tags', signal) });
  const others = useOthers(
    api,
    id,
    useStore(world.view, (view) => view.compare),
  );
  const form = useSlot(id, experiment.data !== undefined && experiment.data.snapshot === null);
  useLive(world, form && runs.data && tags.data ? experiment.data : undefined, others.parts, form ?? undefined);
  const failed = experiment.error ?? runs.error ?? tags.error;
  if (failed) return <BlockMessage text={text}>{failedText(failed)}</BlockMessage>;
  return (
    <figure className="report-block" aria-busy={!(experiment.data && runs.data && tags.data)}>
      {experiment.data && runs.data && tags.data && (
        <ExperimentContext value={world}>
          <ExperimentPage experiment={experiment.data} runs={runs.data} tags={tags.data} others={others}>
            <BlockContent />
          </ExperimentPage>
        </ExperimentContext>
      )}
      {caption !== '' && <figcaption>{visibleText(caption)}</figcaption>}
    </figure>
  );
}

/** How this block follows its experiment; null if it does not. */
function useSlot(id: string, isWanted: boolean): LiveForm | null {
  const slots = use(LiveSlotsContext);
  const [taken, setTaken] = useState<LiveForm | null>(null);
  useEffect(() => {
    const form = isWanted ? (slots?.claim(id) ?? null) : null;
    if (!slots || form === null) return;
    // oxlint-disable-next-line react/set-state-in-effect -- only a mounted block may take a place
    setTaken(form);
    return () => {
      slots.release(id);
      setTaken(null);
    };
  }, [slots, id, isWanted]);
  return taken;
}

function failedText(error: Error): string {
  const isMissing = error instanceof ApiProblem && (error.status === 401 || error.status === 403 || error.status === 404);
  return isMissing ? "This experiment was deleted, or you don't have access to it." : problemText(error);
}
