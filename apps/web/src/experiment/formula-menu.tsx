import { type SubmitEvent, useState } from 'react';
import { maxFormulaLength, maxPanels, panelText } from '#charts';
import { Menu } from '../app/menu.tsx';
import { changeView } from './change-view.ts';
import { useView, useWorld } from './experiment-context.ts';

/** A menu that adds a chart of a formula over tags above the other charts. */
export function FormulaMenu() {
  const [open, setOpen] = useState(false);
  return (
    <Menu label="Formula" icon="Formula" opened={{ open, onOpen: setOpen }}>
      <FormulaForm onDone={() => setOpen(false)} />
    </Menu>
  );
}

function FormulaForm({ onDone }: { readonly onDone: () => void }) {
  const { view } = useWorld();
  const panels = useView((all) => all.panels);
  const [formula, setFormula] = useState('');
  const text = formula.trim();
  const isFull = panels.length >= maxPanels;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text === '' || isFull) return;
    const panel = { formula: text };
    if (!panels.some((one) => panelText(one) === panelText(panel))) changeView(view, { panels: [...panels, panel], tab: 'scalars' });
    onDone();
  };
  return (
    <form className="menu-form" onSubmit={submit}>
      <label>
        Formula over a run's tags
        <input
          className="text-field"
          type="text"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={maxFormulaLength}
          placeholder="val/loss - train/loss"
          value={formula}
          onChange={({ target }) => setFormula(target.value)}
        />
      </label>
      <p className="dim">
        + - * / ^, log, log2, log10, exp, sqrt, abs, min, max. Put spaces around - and /, and quotes around tags with spaces or other
        special characters: log(&quot;my tag&quot;).
      </p>
      <button type="submit" className="primary" disabled={text === '' || isFull}>
        {isFull ? `At most ${maxPanels} panels` : 'Add chart'}
      </button>
    </form>
  );
}
