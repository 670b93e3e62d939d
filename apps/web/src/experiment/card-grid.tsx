import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { toggled, visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { ChartCard } from '../chart/card.tsx';
import { type CardRow, cardRows, columnsIn, firstCards, rowHeights, scalarTags } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';

/** The cards of all tags, by group; those far outside the viewport are drawn when they are near. */
export function CardGrid() {
  const { firstCharts } = useWorld();
  const { tags } = useContents();
  const filter = useView((view) => view.tagFilter);
  const pinned = useView((view) => view.pinned);
  const folded = useView((view) => view.folded);
  const shown = useMemo(() => scalarTags(tags, filter), [tags, filter]);
  if (shown.length === 0) return <NoCards filtered={filter !== ''} />;
  return firstCharts === 'server' ? <FirstCards rows={cardRows(shown, { pinned, folded }, firstCards)} /> : <VirtualCards tags={shown} />;
}

function VirtualCards({ tags }: { readonly tags: readonly string[] }) {
  const pinned = useView((view) => view.pinned);
  const folded = useView((view) => view.folded);
  const scroller = useRef<HTMLElement>(null);
  const columns = useColumns(scroller);
  const rows = useMemo(() => cardRows(tags, { pinned, folded }, columns), [tags, pinned, folded, columns]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowHeights[rows[index]!.kind],
    getItemKey: (index) => rows[index]!.key,
    overscan: 1,
  });
  useLayoutEffect(() => virtual.measure(), [rows, virtual]);
  return (
    <main className="cards" ref={scroller} tabIndex={-1}>
      <div className="tall" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <div key={key} className="placed" style={{ transform: `translateY(${start}px)` }}>
            <Row row={rows[index]!} />
          </div>
        ))}
      </div>
    </main>
  );
}

/** The same layout without a script: the style sheet flows the cards into as many columns. */
function FirstCards({ rows }: { readonly rows: readonly CardRow[] }) {
  let left = firstCards;
  return (
    <main className="cards">
      {rows.map((row) => {
        if (left <= 0) return null;
        const shown = row.kind === 'cards' ? { ...row, tags: row.tags.slice(0, left) } : row;
        if (shown.kind === 'cards') left -= shown.tags.length;
        return <Row key={row.key} row={shown} />;
      })}
    </main>
  );
}

function Row({ row }: { readonly row: CardRow }) {
  const { view } = useWorld();
  if (row.kind === 'cards')
    return (
      <div className="card-row">
        {row.tags.map((tag) => (
          <ChartCard key={tag} tag={tag} size="card" />
        ))}
      </div>
    );
  return (
    <h2 className="group-head">
      <button type="button" aria-expanded={!row.folded} onClick={() => changeView(view, { folded: toggled(view.value.folded, row.group) })}>
        <Icon name="fold" />
        {row.title === '' ? 'Top level' : visibleText(row.title)} <span className="dim">{row.count}</span>
      </button>
    </h2>
  );
}

function NoCards({ filtered }: { readonly filtered: boolean }) {
  const { view } = useWorld();
  return (
    <main className="cards">
      <div className="empty">
        {filtered ? (
          <>
            <p>No tag matches the filter.</p>
            <button type="button" className="quiet" onClick={() => changeView(view, { tagFilter: '' })}>
              Show all tags
            </button>
          </>
        ) : (
          <p>No scalars yet. They appear here as they arrive.</p>
        )}
      </div>
    </main>
  );
}

/** How many cards fit side by side in the current width. */
function useColumns(scroller: React.RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setColumns(columnsIn(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return columns;
}
