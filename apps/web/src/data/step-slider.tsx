import { formatCount } from '#charts';
import { changeView } from '../experiment/change-view.ts';
import { useView, useWorld } from '../experiment/experiment-context.ts';
import { indexAt } from './values.ts';

/**
 * Selects the step for the whole page, so that runs and tags stay comparable. `steps`: the existing
 * steps, in ascending order.
 */
export function StepSlider({ steps, label }: { readonly steps: readonly number[]; readonly label: string }) {
  const { view } = useWorld();
  const step = useView((all) => all.step);
  const index = indexAt(steps, step);
  const shown = steps[index];
  if (shown === undefined) return null;
  // At the last step, the slider follows new steps
  const choose = (next: number): void => changeView(view, { step: next >= steps.length - 1 ? null : steps[next]! });
  return (
    <div className="steps">
      {steps.length > 1 && (
        <input
          type="range"
          min={0}
          max={steps.length - 1}
          value={index}
          aria-label={`Step of ${label}`}
          aria-valuetext={`step ${formatCount(shown)}`}
          onChange={({ target }) => choose(Number(target.value))}
        />
      )}
      <output>step {formatCount(shown)}</output>
    </div>
  );
}

/** All steps of several series, in ascending order. */
export function stepsOf(lists: readonly (readonly (number | string)[])[]): number[] {
  return [...new Set(lists.flat().map(Number))].sort((a, b) => a - b);
}
