import { memo, Suspense, use, useCallback, useMemo, useRef, useState } from 'react';
import { type ChartLine, formatCount, formatShort, splitTag, toggled, visibleText } from '#charts';
import { Boundary, brokenChart } from '../app/boundary.tsx';
import { Icon } from '../app/icons.tsx';
import { later } from '../app/later.ts';
import { CardHeadingLevel } from '../app/main-area.tsx';
import { systemName } from '../data/system-names.ts';
import { ArrangeMenu } from '../experiment/arrange-menu.tsx';
import { useCardDrag } from '../experiment/card-moves.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { dataDetails, dataNote } from '../experiment/wanted.ts';
import { Chart, type ChartHandle } from './chart.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { FirstChart } from './first-chart.tsx';

const RangeTable = later(() => import('./range-table.tsx'));

const none: readonly string[] = [];

interface ChartCardProps {
  readonly tag: string;
  readonly size: 'card' | 'large';
  /** The section in which the card can be moved. Absent if it cannot be moved. */
  readonly group?: string;
  readonly isWide?: boolean;
}

/** A tag's chart, with its name and actions. */
export const ChartCard = memo(function ChartCard({ tag, size, group: section, isWide = false }: ChartCardProps) {
  const place = useMemo(() => (section === undefined ? undefined : { group: section, key: tag }), [section, tag]);
  const drag = useCardDrag(place, isWide);
  const table = useView((all) => size === 'large' && all.table);
  const [drawn, setDrawn] = useState<readonly ChartLine[]>([]);
  const { view, firstCharts } = useWorld();
  const { tags } = useContents();
  const pinned = useView((all) => all.pinned.includes(tag));
  const handle = useRef<ChartHandle>(null);
  const [note, setNote] = useState<{ readonly text: string; readonly details?: string | undefined }>({ text: '' });
  const onLines = useCallback(
    (lines: readonly ChartLine[]) => {
      const next = { text: dataNote(lines, formatShort), details: dataDetails(lines) };
      setNote((before) => (before.text === next.text && before.details === next.details ? before : next));
      if (size === 'large') setDrawn(lines);
    },
    [size],
  );
  const level = use(CardHeadingLevel);
  const { group, rest } = splitTag(tag);
  const measured = systemName(tag);
  const { description: about = '', superseded_points: replaced = 0 } = tags.find((one) => one.tag === tag) ?? {};
  const superseded = useView((all) => all.superseded);
  const also = useView((all) => (size === 'large' ? all.also : none));
  const drawnTags = useMemo(() => [...new Set([tag, ...also])], [tag, also]);
  return (
    <article className={`card ${size}${drag.className}`} aria-label={visibleText(tag)} {...drag.card}>
      <header>
        <h3 aria-level={level} title={visibleText(about === '' ? tag : `${tag}: ${about}`)} {...drag.title}>
          {measured ? (
            <>
              <span className="dim">{measured.device} </span>
              {measured.quantity}
            </>
          ) : (
            <>
              {group !== '' && <span className="dim">{visibleText(group)}</span>}
              {rest === '' ? <span className="dim">(no name)</span> : visibleText(rest)}
            </>
          )}
        </h3>
        {replaced > 0 && (
          <button
            type="button"
            className="replaced"
            aria-pressed={superseded}
            title={replacedNote(replaced, superseded)}
            onClick={() => changeView(view, { superseded: !superseded })}
          >
            replaced
          </button>
        )}
        <span className="card-note" title={note.details === undefined ? undefined : `${note.text}. ${note.details}`}>
          {note.text}
        </span>
        <div className="card-actions">
          <button
            type="button"
            aria-pressed={pinned}
            aria-label={`Pin ${visibleText(tag)}`}
            title={pinned ? 'Unpin' : 'Pin'}
            onClick={() => changeView(view, { pinned: toggled(view.value.pinned, tag) })}
          >
            <Icon name="pin" />
          </button>
          <DownloadMenu tags={drawnTags} handle={handle} />
          {place && <ArrangeMenu place={place} name={tag} />}
          {size === 'card' && (
            <button
              type="button"
              aria-label={`Full screen: ${visibleText(tag)}`}
              title="Full screen"
              onClick={() => changeView(view, { card: tag })}
            >
              <Icon name="expand" />
            </button>
          )}
        </div>
      </header>
      <Boundary what="This chart" around={brokenChart}>
        {firstCharts === 'server' ? <FirstChart tag={tag} /> : <Chart tags={drawnTags} size={size} handle={handle} onLines={onLines} />}
        {table && (
          <Suspense fallback={null}>
            <RangeTable tags={drawnTags} lines={drawn} />
          </Suspense>
        )}
      </Boundary>
    </article>
  );
});

function replacedNote(count: number, dotted: boolean): string {
  const reason = 'logged again, or followed by a restart at an earlier step';
  return count === 1
    ? `1 point is superseded: ${reason}. It is ${dotted ? 'dotted' : 'not drawn'}.`
    : `${formatCount(count)} points are superseded: ${reason}. They are ${dotted ? 'dotted' : 'not drawn'}.`;
}
