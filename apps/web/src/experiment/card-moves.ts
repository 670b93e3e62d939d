import { createContext, type DragEvent, use, useState } from 'react';
import { panelText, type View } from '#charts';
import type { Store } from '../app/store.ts';
import { chosenFor, movedBeside } from './card-order.ts';
import { pinnedGroup, panelsGroup, type Section, sectionsOf } from './card-rows.ts';
import { changeView } from './change-view.ts';

/** A card in its section. `key`: its tag, or its panel as text. */
export interface CardPlace {
  readonly group: string;
  readonly key: string;
}

/** How the cards of a page are arranged. */
export interface CardMoves {
  /** Moves a card. `order` returns the new order of its section. */
  move(place: CardPlace, order: (keys: readonly string[]) => readonly string[]): void;
  /**
   * Restores the default order of a section. Null if the cards are already in the default order.
   */
  readonly reset: ((group: string) => void) | null;
  /** Whether this card was just moved and should get the focus. True only once. */
  takeFocus(place: CardPlace): boolean;
}

/** Null if cards cannot be moved here. */
export const CardMovesContext = createContext<CardMoves | null>(null);

/** The keys of a section's cards, in order. */
export function keysOf({ tags, panels }: Section): readonly string[] {
  return panels?.map(panelText) ?? tags;
}

/** Changes the order of a section's cards. `tags`: all tags that the page shows. */
export function orderCards(store: Store<View>, tags: readonly string[], group: string, keys: readonly string[]): void {
  const view = store.value;
  if (group === panelsGroup) {
    const rank = new Map(keys.map((key, i) => [key, i]));
    const rankOf = (panel: View['panels'][number]): number => rank.get(panelText(panel)) ?? keys.length;
    changeView(store, { panels: view.panels.toSorted((a, b) => rankOf(a) - rankOf(b)) });
  } else if (group === pinnedGroup) changeView(store, { pinned: [...keys, ...view.pinned.filter((tag) => !keys.includes(tag))] });
  else {
    const plain = sectionsOf(tags, { ...view, cardOrder: [] }).find((one) => one.group === group)?.tags ?? [];
    changeView(store, { cardOrder: chosenFor(keys, plain, view.cardOrder) });
  }
}

/** The card that is being dragged. Drag data cannot be read before the drop. */
let dragged: CardPlace | null = null;
const kind = 'application/x-plotline-card';

/**
 * Makes a card draggable by its title, and lets other cards of the same section be dropped beside
 * it.
 */
export function useCardDrag(place: CardPlace | undefined, isWide: boolean) {
  const moves = use(CardMovesContext);
  const [side, setSide] = useState<'before' | 'after' | null>(null);
  if (moves === null || place === undefined) return { className: '', card: {}, title: {} };
  const { group, key } = place;
  const isTarget = (): boolean => dragged !== null && dragged.group === group && dragged.key !== key;
  return {
    className: side === null ? '' : ` drop-${side}`,
    title: {
      draggable: true,
      onDragStart: (event: DragEvent) => {
        const card = event.currentTarget.closest('article')!;
        const { left, top } = card.getBoundingClientRect();
        event.dataTransfer.setData(kind, '');
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setDragImage(card, event.clientX - left, event.clientY - top);
        dragged = place;
      },
      onDragEnd: () => {
        dragged = null;
      },
    },
    card: {
      onDragOver: (event: DragEvent) => {
        if (!isTarget()) return;
        event.preventDefault();
        setSide(sideOf(event, isWide));
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setSide(null);
      },
      onDrop: (event: DragEvent) => {
        setSide(null);
        const moved = dragged;
        if (moved === null || !isTarget()) return;
        event.preventDefault();
        const isAfter = sideOf(event, isWide) === 'after';
        moves.move(moved, (keys) => movedBeside(keys, moved.key, key, isAfter));
      },
    },
  };
}

/**
 * The side of a card that is nearer to the pointer: left or right, or for a wide card top or
 * bottom.
 */
function sideOf({ currentTarget, clientX, clientY }: DragEvent, isWide: boolean): 'before' | 'after' {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  return (isWide ? clientY < top + height / 2 : clientX < left + width / 2) ? 'before' : 'after';
}
