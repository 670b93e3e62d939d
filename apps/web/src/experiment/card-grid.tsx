import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { MainArea } from '../app/main-area.tsx';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type CardSize, type Panel, panelText } from '#charts';
import { ChartCard } from '../chart/card.tsx';
import { PanelCard } from '../chart/panel-card.tsx';
import { type CardMoves, CardMovesContext, type CardPlace, keysOf, orderCards } from './card-moves.ts';
import {
  cardCount,
  type CardRow,
  cardRows,
  columnsIn,
  firstCards,
  panelsOf,
  rowHeight,
  scalarTags,
  type Section,
  type Sectioning,
  sectionsOf,
} from './card-rows.ts';
import { changeView } from './change-view.ts';
import { FoldAll, GroupHead } from './group-head.tsx';
import { useContents, useView, useWorld } from './experiment-context.ts';
import { useCollapsingHeader } from './use-collapsing-header.ts';

/**
 * The cards of all tags, by group. Cards far outside the viewport are rendered when they come near.
 * `of`: shows only the cards of this tab.
 */
export function CardGrid({ of }: { readonly of?: 'scalars' | 'system' }) {
  const { firstCharts } = useWorld();
  const { tags } = useContents();
  const tagFilter = useView((view) => view.tagFilter);
  const pinned = useView((view) => view.pinned);
  const folded = useView((view) => view.folded);
  const unfolded = useView((view) => view.unfolded);
  const shown = useMemo(() => scalarTags(tags, tagFilter, of), [tags, tagFilter, of]);
  const allPanels = useView((view) => view.panels);
  const panels = useMemo(() => panelsOf(allPanels, of), [allPanels, of]);
  const embed = useView((view) => view.embed);
  const cardOrder = useView((view) => view.cardOrder);
  const wide = useView((view) => view.wide);
  const view = useMemo(
    () => ({ tagFilter, pinned, panels, folded, unfolded, embed, cardOrder, wide }),
    [tagFilter, pinned, panels, folded, unfolded, embed, cardOrder, wide],
  );
  if (shown.length === 0) return <NoCards filtered={tagFilter !== ''} />;
  return firstCharts === 'server' ? <FirstCards rows={cardRows(shown, view, firstCards)} /> : <VirtualCards tags={shown} view={view} />;
}

function VirtualCards({ tags, view }: { readonly tags: readonly string[]; readonly view: Sectioning }) {
  const scroller = useRef<HTMLElement>(null);
  const size = useView((all) => all.cardSize);
  const columns = useColumns(scroller, size);
  useCollapsingHeader(scroller);
  const rows = useMemo(() => cardRows(tags, view, columns), [tags, view, columns]);
  const heads = useMemo(() => headsOf(rows), [rows]);
  const count = useMemo(() => sectionsOf(tags, view).length, [tags, view]);
  const open = rows.some((row) => row.kind !== 'head' || !row.section.folded);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowHeight(rows[index]!.kind, size),
    getItemKey: (index) => rows[index]!.key,
    rangeExtractor: (range) => {
      const head = heads[range.startIndex] ?? null;
      return head === null ? defaultRangeExtractor(range) : [...new Set([head, ...defaultRangeExtractor(range)])].sort((a, b) => a - b);
    },
    overscan: 1,
  });
  useLayoutEffect(() => virtual.measure(), [rows, size, virtual]);
  const { moves, moved } = useCardMoves(tags, view);
  useEffect(() => {
    if (moved === null) return;
    const at = rows.findIndex((row) => (row.kind === 'cards' || row.kind === 'wide') && row.group === moved.group && holds(row, moved.key));
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
    // oxlint-disable-next-line react/exhaustive-deps -- only after a move, not whenever rows change
  }, [moved]);
  const stuck = heads[virtual.range?.startIndex ?? 0] ?? null;
  return (
    <MainArea className={`cards ${size}`} ref={scroller} tabIndex={-1}>
      <CardMovesContext value={view.embed ? null : moves}>
        <div className="tall" style={{ height: virtual.getTotalSize() }}>
          <FoldAll open={open} count={count} />
          {virtual.getVirtualItems().map(({ index, start, key }) => (
            <div
              key={key}
              className={index === stuck ? 'placed stuck' : 'placed'}
              style={index === stuck ? undefined : { transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index]!} />
            </div>
          ))}
        </div>
      </CardMovesContext>
    </MainArea>
  );
}

/** Moves cards, and keeps the focus on the moved card. `moved`: the card that was moved last. */
function useCardMoves(tags: readonly string[], sectioning: Sectioning): { readonly moves: CardMoves; readonly moved: CardPlace | null } {
  const { view } = useWorld();
  const [moved, setMoved] = useState<CardPlace | null>(null);
  const awaited = useRef<CardPlace | null>(null);
  const moves = useMemo(
    (): CardMoves => ({
      move: (place, order) => {
        const section = sectionsOf(tags, sectioning).find(({ group }) => group === place.group);
        if (!section) return;
        orderCards(view, tags, place.group, order(keysOf(section)));
        awaited.current = place;
        setMoved({ ...place });
      },
      reset:
        sectioning.cardOrder.length === 0
          ? null
          : (group) => {
              const own = sectionsOf(tags, sectioning).find((one) => one.group === group)?.tags ?? [];
              changeView(view, { cardOrder: view.value.cardOrder.filter((tag) => !own.includes(tag)) });
            },
      takeFocus: (place) => {
        const isAwaited = awaited.current?.group === place.group && awaited.current.key === place.key;
        if (isAwaited) awaited.current = null;
        return isAwaited;
      },
    }),
    // oxlint-disable-next-line react/exhaustive-deps -- after a move, all cards look whether it was theirs
    [view, tags, sectioning, moved],
  );
  return { moves, moved };
}

function holds({ tags, panels = [] }: { readonly tags: readonly string[]; readonly panels?: readonly Panel[] }, key: string): boolean {
  return tags.includes(key) || panels.some((panel) => panelText(panel) === key);
}

/**
 * For each row, the row of the heading that stays on top while this row is the first in view. Null
 * if the row has its own headings.
 */
function headsOf(rows: readonly CardRow[]): (number | null)[] {
  let head: number | null = null;
  return rows.map(({ kind }, i) => {
    if (kind !== 'cards' && kind !== 'wide') head = kind === 'head' ? i : null;
    return head;
  });
}

/**
 * The same layout without a script: the style sheet arranges the cards in the same number of
 * columns.
 */
function FirstCards({ rows }: { readonly rows: readonly CardRow[] }) {
  const size = useView((all) => all.cardSize);
  let left = firstCards;
  const take = (tags: readonly string[]): readonly string[] => {
    const taken = tags.slice(0, left);
    left -= taken.length;
    return taken;
  };
  return (
    <MainArea className={`cards ${size}`}>
      {rows.map((row) => {
        if (left <= 0) return null;
        if (row.kind === 'head') return <Row key={row.key} row={row} />;
        if (row.kind !== 'shared') return <Row key={row.key} row={{ ...row, tags: take(row.tags) }} />;
        const sections = row.sections.filter(({ tags, panels }) => panels !== undefined || (left >= tags.length && take(tags).length > 0));
        return <Row key={row.key} row={{ ...row, sections }} />;
      })}
    </MainArea>
  );
}

function Row({ row }: { readonly row: CardRow }) {
  if (row.kind === 'head') return <Head section={row.section} />;
  if (row.kind !== 'shared') return <Cards group={row.group} tags={row.tags} panels={row.panels} isWide={row.kind === 'wide'} />;
  return (
    <div className="shared">
      <div className="card-row">
        {row.sections.map((section) => (
          <section key={section.group} className={`span-${cardCount(section)}`}>
            <Head section={section} />
            <Cards group={section.group} tags={section.tags} panels={section.panels} />
          </section>
        ))}
      </div>
    </div>
  );
}

interface CardsProps {
  readonly group: string;
  readonly tags: readonly string[];
  readonly panels?: readonly Panel[] | undefined;
  readonly isWide?: boolean;
}

function Cards({ group, tags, panels = [], isWide = false }: CardsProps) {
  return (
    <div className={isWide ? 'card-row wide' : 'card-row'}>
      {panels.map((panel) => (
        <PanelCard key={panelText(panel)} panel={panel} group={group} isWide={isWide} />
      ))}
      {tags.map((tag) => (
        <ChartCard key={tag} tag={tag} size="card" group={group} isWide={isWide} />
      ))}
    </div>
  );
}

function Head({ section: { group, title, depth, total, byDefault } }: { readonly section: Section }) {
  return <GroupHead group={group} title={title} depth={depth} count={total} byDefault={byDefault} />;
}

function NoCards({ filtered }: { readonly filtered: boolean }) {
  const { view } = useWorld();
  return (
    <MainArea className="cards">
      <div className="empty">
        {filtered ? (
          <>
            <p>No tags match the filter.</p>
            <button type="button" className="quiet" onClick={() => changeView(view, { tagFilter: '' })}>
              Show all tags
            </button>
          </>
        ) : (
          <p>No scalars yet. They appear here as they arrive.</p>
        )}
      </div>
    </MainArea>
  );
}

/** How many cards fit side by side in the current width. */
function useColumns(scroller: React.RefObject<HTMLElement | null>, size: CardSize): number {
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setColumns(columnsIn(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight), size));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, size]);
  return columns;
}
