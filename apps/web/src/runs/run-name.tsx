import { visibleText } from '#charts';
import { runText } from '../compare/compared-run.ts';

/** The name of a run, its last part strong: runs of a sweep differ there. */
export function RunName({ run }: { readonly run: string }) {
  const text = runText(run);
  const last = visibleText(run.slice(run.lastIndexOf('/') + 1) || run);
  const before = text.endsWith(last) ? text.slice(0, -last.length) : '';
  return (
    <span className="run-name" title={text}>
      {before !== '' && <span className="dim">{before}</span>}
      <span>{last === '.' ? 'log directory' : last}</span>
    </span>
  );
}
