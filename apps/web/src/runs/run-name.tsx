import { elideNames } from '#charts';
import { runText } from '../compare/compared-run.ts';
import { useContents } from '../experiment/experiment-context.ts';

/** Number of characters that fit in the run list and in captions. */
const nameLength = 34;

/**
 * A run's name, with the last part in bold, because the runs of a sweep differ there. A long name
 * is shortened in the middle: the parts that the page's runs have in common are omitted.
 */
export function RunName({ run }: { readonly run: string }) {
  const { runs } = useContents();
  const full = runText(run);
  const text = shortNames(runs).get(full) ?? elideNames([full], nameLength).get(full)!;
  const at = text.lastIndexOf('/', text.length - 2) + 1;
  const last = text.slice(at);
  return (
    <span className="run-name" title={full}>
      {at > 0 && <span className="dim">{text.slice(0, at)}</span>}
      <span>{last === '.' ? 'log directory' : last}</span>
    </span>
  );
}

const known = new WeakMap<readonly { readonly run: string }[], ReadonlyMap<string, string>>();

/** Computed once per run list, because a list can show a thousand names. */
function shortNames(runs: readonly { readonly run: string }[]): ReadonlyMap<string, string> {
  const made =
    known.get(runs) ??
    elideNames(
      runs.map(({ run }) => runText(run)),
      nameLength,
    );
  known.set(runs, made);
  return made;
}
