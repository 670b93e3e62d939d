import { formatCount, type ImageComparison, type ImageWith } from '#charts';
import { maxChoices } from '../../app/choices.ts';
import { inAddress, runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useWorld } from '../../experiment/experiment-context.ts';
import type { BlobSeries } from '../values.ts';

interface CompareWithProps {
  readonly series: readonly BlobSeries[];
  /** With the run's name as on the page. */
  readonly other: ImageWith | null;
  /** The run and step of the image that is shown. */
  readonly run: string;
}

/** Selects the image to compare with: its run, and either the page's step or a fixed step. */
export function CompareWith({ series, other, run }: CompareWithProps) {
  const { view } = useWorld();
  const { compared } = useContents();
  const otherSeries = other && series.find((one) => one.run === other.run);
  const compareWith = (name: string, step: number | null): void =>
    changeView(view, { imageWith: { run: inAddress([name], compared)[0]!, step } });
  const choose = (name: string): void => {
    const isOwn = name === run;
    // Comparing an image with itself would show nothing, so for its own run the choice starts at
    // the first step
    const first = isOwn ? Number(series.find((one) => one.run === name)?.points[0]?.step ?? 0) : null;
    compareWith(name, first);
  };
  return (
    <>
      <label className="choice">
        Compare with
        <select
          value={other ? `=${other.run}` : ''}
          onChange={({ target: { value } }) => (value === '' ? changeView(view, { imageWith: null }) : choose(value.slice(1)))}
        >
          <option value="">nothing</option>
          {other && !otherSeries && <option value={`=${other.run}`}>{runText(other.run)}</option>}
          {series.slice(0, maxChoices).map((one) => (
            <option key={one.run} value={`=${one.run}`}>
              {one.run === run ? `${runText(run)} (this run)` : runText(one.run)}
            </option>
          ))}
        </select>
      </label>
      {other && otherSeries && (
        <label className="choice">
          at
          <select
            value={other.step ?? ''}
            aria-label="Step of the other image"
            onChange={({ target: { value } }) => compareWith(other.run, value === '' ? null : Number(value))}
          >
            <option value="">the same step</option>
            {otherSeries.points.map(({ step }) => (
              <option key={step} value={step}>
                step {formatCount(step)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

const comparisonNames: Readonly<Record<ImageComparison, string>> = {
  side: 'Side by side',
  flicker: 'Flicker',
  difference: 'Difference',
};

interface ComparisonsProps {
  readonly of: readonly ImageComparison[];
  readonly comparison: ImageComparison;
}

/** Selects how the two images are compared. */
export function Comparisons({ of, comparison }: ComparisonsProps) {
  const { view } = useWorld();
  return (
    <fieldset className="segments">
      <legend>Comparison of two images</legend>
      {of.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="image-comparison"
            checked={one === comparison}
            onChange={() => changeView(view, { imageComparison: one })}
          />
          <span>{comparisonNames[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
