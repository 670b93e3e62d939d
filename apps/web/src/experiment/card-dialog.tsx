import { useEffect, useMemo } from 'react';
import { maxPanels, panelText, plainView, visibleText } from '#charts';
import { Boundary } from '../app/boundary.tsx';
import { maxChoices } from '../app/choices.ts';
import { Icon } from '../app/icons.tsx';
import { narrowQuery, useMedia } from '../app/theme.ts';
import { useModal } from '../app/use-modal.ts';
import { ChartCard } from '../chart/card.tsx';
import { isSystemTag } from '../data/tabs.ts';
import { RunList } from '../runs/run-list.tsx';
import { scalarTags, tagOrder } from './card-rows.ts';
import { changeView } from './change-view.ts';
import { useContents, useView, useWorld } from './experiment-context.ts';
import { ResetZoom } from './reset-zoom.tsx';

/**
 * The chart `card`, as large as the window. Arrow keys move to adjacent tags, and Esc closes it.
 */
export default function CardDialog({ card }: { readonly card: string }) {
  const { view } = useWorld();
  const { tags } = useContents();
  const tagFilter = useView((all) => all.tagFilter);
  const pinned = useView((all) => all.pinned);
  const cardOrder = useView((all) => all.cardOrder);
  const table = useView((all) => all.table);
  const narrow = useMedia(narrowQuery);
  const open = tags.some(({ tag, data_class: dataClass }) => tag === card && dataClass === 'scalar');
  const dialog = useModal(() => changeView(view, { card: null, also: [] }), open);
  const of = isSystemTag(card) ? 'system' : 'scalars';
  const order = useMemo(
    () => tagOrder(scalarTags(tags, tagFilter, of), { ...plainView, pinned, tagFilter, cardOrder }),
    [tags, tagFilter, pinned, cardOrder, of],
  );
  useEffect(() => {
    const focused = document.activeElement;
    // Keys continue to work after the focused element is removed or disabled
    if (!dialog.current?.matches(':focus-within') || focused?.matches('.alone button:disabled')) dialog.current?.focus();
  }, [card, dialog]);
  if (!open) return null;

  const close = (): void => dialog.current?.close();
  const at = order.indexOf(card);
  const go = (by: number): void => {
    const next = order[at + by];
    if (next !== undefined) changeView(view, { card: next });
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, textarea, select, .dialog')) return;
    if (event.key === 'ArrowRight') go(1);
    else if (event.key === 'ArrowLeft') go(-1);
    else return;
    event.preventDefault();
  };
  return (
    <dialog className="alone" ref={dialog} aria-label={visibleText(card)} tabIndex={-1} onKeyDown={onKeyDown}>
      <div className="alone-body">
        {!narrow && (
          <div className="beside">
            <Boundary what="The run list">
              <RunList label="Chart runs" />
            </Boundary>
          </div>
        )}
        <ChartCard key={card} tag={card} size="large" />
      </div>
      <div className="alone-foot">
        <Superimposed card={card} tags={order} />
        <ResetZoom />
        <button type="button" className="quiet" disabled={at <= 0} onClick={() => go(-1)}>
          ← Previous
        </button>
        <span className="dim">
          {at >= 0 ? at + 1 : '–'} of {order.length}
        </span>
        <button type="button" className="quiet" aria-pressed={table} onClick={() => changeView(view, { table: !table })}>
          Table
        </button>
        <button type="button" className="quiet" disabled={at < 0 || at === order.length - 1} onClick={() => go(1)}>
          Next →
        </button>
      </div>
      <button type="button" className="close" aria-label="Close" onClick={close}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}

/** The other tags in the same chart. */
function Superimposed({ card, tags }: { readonly card: string; readonly tags: readonly string[] }) {
  const { view } = useWorld();
  const also = useView((all) => all.also);
  const left = tags.filter((tag) => tag !== card && !also.includes(tag)).slice(0, maxChoices);
  return (
    <span className="superimposed">
      {also.map((tag) => (
        <button
          key={tag}
          type="button"
          className="chip"
          aria-label={`Remove ${visibleText(tag)} from the chart`}
          onClick={() => changeView(view, { also: also.filter((one) => one !== tag) })}
        >
          {visibleText(tag)} ×
        </button>
      ))}
      {also.length > 0 && <KeepPanel tags={[card, ...also]} />}
      {left.length > 0 && also.length < maxTags && (
        <select
          value=""
          aria-label="Draw another tag in the same chart"
          onChange={({ target }) => changeView(view, { also: [...also, target.value] })}
        >
          <option value="" disabled>
            Add a tag
          </option>
          {left.map((tag) => (
            <option key={tag} value={tag}>
              {visibleText(tag)}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

/** Saves the combination as a panel above the other charts. */
function KeepPanel({ tags }: { readonly tags: readonly string[] }) {
  const { view } = useWorld();
  const panels = useView((all) => all.panels);
  const kept = panels.some((one) => panelText(one) === panelText({ tags }));
  if (!kept && panels.length >= maxPanels) return null;
  return (
    <button
      type="button"
      className="quiet"
      aria-pressed={kept}
      title="Add this combination to the view, as a panel above the other charts"
      onClick={() =>
        changeView(view, { panels: kept ? panels.filter((one) => panelText(one) !== panelText({ tags })) : [...panels, { tags }] })
      }
    >
      Keep as panel
    </button>
  );
}

/** Maximum number of other tags in one chart. */
const maxTags = 11;
