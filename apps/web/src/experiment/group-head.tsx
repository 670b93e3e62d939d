import { visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';
import { foldAll, isFolded, toggleGroup } from './folding.ts';

interface GroupHeadProps {
  readonly group: string;
  readonly title: string;
  /** Its nesting depth. */
  readonly depth: number;
  /** The number of cards in the group. */
  readonly count: number;
  /** Whether it starts collapsed. */
  readonly byDefault?: boolean;
}

/** Groups nested more deeply than this have the same indent, as in the style sheet. */
const maxIndent = 4;

/** The head of a group of tags, which collapses and expands the group. */
export function GroupHead({ group, title, depth, count, byDefault = false }: GroupHeadProps) {
  const { view } = useWorld();
  const folded = useView((all) => isFolded(all, group, byDefault));
  const last = depth === 0 ? 0 : title.lastIndexOf('/') + 1;
  return (
    <h2 className={depth === 0 ? 'group-head' : `group-head inside-${Math.min(depth, maxIndent)}`}>
      <button type="button" aria-expanded={!folded} onClick={() => changeView(view, toggleGroup(view.value, group, byDefault))}>
        <Icon name="fold" />
        <span className="group-name">
          {last > 0 && <span className="parents">{visibleText(title.slice(0, last))}</span>}
          {visibleText(title.slice(last))}
        </span>{' '}
        <span className="dim">{count}</span>
      </button>
    </h2>
  );
}

interface FoldAllProps {
  /** Whether any group is expanded. */
  readonly open: boolean;
  /** The number of all groups, including groups inside collapsed ones. */
  readonly count: number;
}

/** Collapses all groups, or expands all if none is expanded. */
export function FoldAll({ open, count }: FoldAllProps) {
  const { view } = useWorld();
  if (count < 3) return null;
  return (
    <div className="fold-all">
      <button type="button" className="quiet" onClick={() => changeView(view, foldAll(open))}>
        {open ? 'Fold all' : 'Unfold all'}
      </button>
    </div>
  );
}
