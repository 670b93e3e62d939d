import type { MouseEvent, ReactNode } from 'react';
import { runAddresses, type View } from '#charts';
import { usePage } from '../app/page-context.ts';
import { isPlainClick } from '../app/plain-click.ts';
import { inAddress } from '../compare/compared-run.ts';
import { RunCaption } from '../data/run-caption.tsx';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';

interface RunLinkProps {
  readonly run: string;
  /** The name for screen readers, also used as the title. Absent if the text is sufficient. */
  readonly label?: string;
  readonly children?: ReactNode;
}

/** A link to a run's page. By default, its text is the run's name. */
export function RunLink({ run, label, children }: RunLinkProps) {
  const { view, id } = useWorld();
  const { compared } = useContents();
  const { base } = usePage();
  const addressOfRun = useView(addressesOf);
  const about = inAddress([run], compared)[0]!;
  const go = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    changeView(view, { about, card: null });
  };
  return (
    <a className="run-link" title={label} aria-label={label} href={`${base}/e/${id}${addressOfRun(about)}`} onClick={go}>
      {children ?? <RunCaption run={run} />}
    </a>
  );
}

/** Many links share a view, so its parameters are computed once. */
const addresses = new WeakMap<View, (run: string) => string>();

function addressesOf(view: View): (run: string) => string {
  const known = addresses.get(view) ?? runAddresses({ ...view, card: null });
  addresses.set(view, known);
  return known;
}
