import { use, useEffect, useRef, useState } from 'react';
import { toggled, visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu } from '../app/menu.tsx';
import { CardMovesContext, type CardPlace } from './card-moves.ts';
import { movedBy } from './card-order.ts';
import { panelsGroup, pinnedGroup } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

interface ArrangeMenuProps {
  readonly place: CardPlace;
  /** The card's name. */
  readonly name: string;
}

/**
 * A menu that moves a card within its section, or makes it as wide as the page. ← and → on the menu
 * button also move the card.
 */
export function ArrangeMenu({ place, name }: ArrangeMenuProps) {
  const moves = use(CardMovesContext);
  const { view } = useWorld();
  const { group, key } = place;
  const isWide = useView(({ wide }) => wide.includes(key));
  const root = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (moves?.takeFocus(place)) root.current?.querySelector('button')?.focus();
  });
  if (moves === null) return null;
  const move = (by: number): void => {
    setOpen(false);
    moves.move(place, (keys) => movedBy(keys, key, by));
  };
  const press = (event: React.KeyboardEvent): void => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by === 0 || open || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(by);
  };
  return (
    <span ref={root} role="presentation" onKeyDown={press}>
      <Menu label={`Arrange ${visibleText(name)}`} icon={<Icon name="more" />} opened={{ open, onOpen: setOpen }}>
        <button type="button" onClick={() => move(-1)}>
          Move left
        </button>
        <button type="button" onClick={() => move(1)}>
          Move right
        </button>
        <button type="button" onClick={() => move(-Infinity)}>
          Move to start
        </button>
        <button
          type="button"
          aria-pressed={isWide}
          onClick={() => {
            setOpen(false);
            changeView(view, { wide: toggled(view.value.wide, key) });
          }}
        >
          {isWide ? 'Normal width' : 'Full width'}
        </button>
        {moves.reset && group !== pinnedGroup && group !== panelsGroup && (
          <button
            type="button"
            onClick={() => {
              setOpen(false);
              moves.reset?.(group);
            }}
          >
            Reset section order
          </button>
        )}
      </Menu>
    </span>
  );
}
