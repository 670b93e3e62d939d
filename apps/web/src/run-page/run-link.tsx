import type { MouseEvent, ReactNode } from 'react';
import { viewParameters } from '#charts';
import { usePage } from '../app/page-context.ts';
import { inAddress } from '../compare/compared-run.ts';
import { RunCaption } from '../data/run-caption.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';

/** A link to the page of a run. Its text is the name by default. */
export function RunLink({ run, children }: { readonly run: string; readonly children?: ReactNode }) {
  const { view, id } = useWorld();
  const { compared } = useContents();
  const { base } = usePage();
  const all = useView((one) => one);
  const about = inAddress([run], compared)[0]!;
  const go = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    changeView(view, { about, card: null });
  };
  return (
    <a className="run-link" href={`${base}/e/${id}?${viewParameters({ ...all, about, card: null }).toString()}`} onClick={go}>
      {children ?? <RunCaption run={run} />}
    </a>
  );
}
