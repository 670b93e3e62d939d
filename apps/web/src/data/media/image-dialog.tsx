import { useEffect } from 'react';
import { formatCount, type ImageChoice, type ImageComparison, imageComparisons, type ImageWith, visibleText } from '#charts';
import { maxChoices } from '../../app/choices.ts';
import { Icon } from '../../app/icons.tsx';
import { useModal } from '../../app/use-modal.ts';
import { fromAddress, inAddress, runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { type BlobSeries, indexAt } from '../values.ts';
import { ImageStage, type ShownImage } from './compared-images.tsx';
import { imagePointAt, picturesOf, useImages } from './pictures.tsx';

/**
 * An image at the size of the window, alone or compared with another one of its tag. ← and → lead
 * through the steps of its run, ↑ and ↓ through the runs.
 */
export function ImageDialog({ image }: { readonly image: ImageChoice }) {
  const { tag, index } = image;
  const { view, api } = useWorld();
  const { compared } = useContents();
  const run = fromAddress([image.run], compared)[0]!;
  const { series, ...state } = useImages(tag);
  const step = useView((all) => all.step);
  const imageWith = useView((all) => all.imageWith);
  const other = imageWith && { ...imageWith, run: fromAddress([imageWith.run], compared)[0]! };
  const comparisons = imageComparisons.filter((one) => one !== 'difference' || api.canReadBlobs);
  const inView = useView((all) => all.imageComparison);
  const comparison = comparisons.includes(inView) ? inView : 'side';
  const dialog = useModal(() => changeView(view, { image: null, imageWith: null }));
  useEffect(() => {
    // Keys still work when the focused element was disabled
    if (!dialog.current?.matches(':focus-within') || document.activeElement?.matches('.alone button:disabled')) dialog.current?.focus();
  }, [step, run, dialog]);

  const steps = stepsOf(series.map((one) => one.points.map((point) => point.step)));
  const at = series.findIndex((one) => one.run === run);
  const own = series[at];
  const otherSeries = other && series.find((one) => one.run === other.run);
  const shown = own && shownImage(own, step, index);
  const beside = otherSeries && shownImage(otherSeries, other.step ?? step, index);
  const count = Math.max(shown?.count ?? 0, 1);

  const goStep = (by: number): void => {
    const ownSteps = own?.points.map((point) => Number(point.step)) ?? [];
    const next = ownSteps[indexAt(ownSteps, step) + by];
    if (next !== undefined) changeView(view, { step: next === steps.at(-1) ? null : next });
  };
  const show = (name: string): void => changeView(view, { image: { ...image, run: inAddress([name], compared)[0]! } });
  const goRun = (by: number): void => {
    const next = series[at === -1 ? 0 : at + by];
    if (next) show(next.run);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, select')) return;
    if (event.key === 'ArrowRight') goStep(1);
    else if (event.key === 'ArrowLeft') goStep(-1);
    else if (event.key === 'ArrowDown') goRun(1);
    else if (event.key === 'ArrowUp') goRun(-1);
    else return;
    event.preventDefault();
  };
  const ownSteps = own?.points ?? [];
  const atStep = indexAt(
    ownSteps.map((point) => point.step),
    step,
  );
  const images = [shown, beside].flatMap((one) => (one ? [one.image] : []));
  return (
    <dialog className="alone" ref={dialog} aria-label={visibleText(tag)} tabIndex={-1} onKeyDown={onKeyDown}>
      <div className="enlarged">
        <TagHead tag={tag}>
          <StepSlider steps={steps} label={visibleText(tag)} />
        </TagHead>
        <StateNote {...state} empty={series.length === 0} />
        {series.length > 0 && !shown && <p className="dim">This run is not selected or has no image.</p>}
        {other && !beside && !state.pending && <p className="dim">No image to compare with: the run is not selected or has no image.</p>}
        <ImageStage images={images} comparison={comparison} />
      </div>
      <div className="alone-foot image-foot">
        <span className="stepper">
          <button type="button" aria-label="Previous step" disabled={atStep <= 0} onClick={() => goStep(-1)}>
            ←
          </button>
          <span>Step</span>
          <button type="button" aria-label="Next step" disabled={atStep === ownSteps.length - 1} onClick={() => goStep(1)}>
            →
          </button>
        </span>
        <span className="stepper">
          <button type="button" aria-label="Previous run" disabled={at <= 0} onClick={() => goRun(-1)}>
            ↑
          </button>
          <select aria-label="Run" value={run} onChange={({ target }) => show(target.value)}>
            {!own && <option value={run}>{runText(run)}</option>}
            <RunOptions series={series} />
          </select>
          <button type="button" aria-label="Next run" disabled={at === series.length - 1} onClick={() => goRun(1)}>
            ↓
          </button>
        </span>
        {count > 1 && (
          <label className="choice">
            Image
            <select
              value={Math.min(index, count - 1)}
              onChange={({ target }) => changeView(view, { image: { ...image, index: Number(target.value) } })}
            >
              {Array.from({ length: Math.min(count, maxChoices) }, (_, i) => (
                <option key={i} value={i}>
                  {i + 1} of {count}
                </option>
              ))}
            </select>
          </label>
        )}
        <CompareWith series={series} other={other} run={run} />
        {other && <Comparisons of={comparisons} comparison={comparison} />}
        {shown && <Download image={shown.image} />}
      </div>
      <button type="button" className="close" aria-label="Close" onClick={() => dialog.current?.close()}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}

/** The image of a run at a step. `count`: how many were logged at once. */
function shownImage(series: BlobSeries, step: number | null, index: number): { readonly image: ShownImage; readonly count: number } | null {
  const point = imagePointAt(series, step);
  if (!point) return null;
  const pictures = picturesOf(point);
  const blob = pictures[Math.min(index, pictures.length - 1)];
  return blob ? { image: { run: series.run, step: point.step, blob }, count: pictures.length } : null;
}

function RunOptions({ series }: { readonly series: readonly BlobSeries[] }) {
  return series.slice(0, maxChoices).map((one) => (
    <option key={one.run} value={one.run}>
      {runText(one.run)}
    </option>
  ));
}

interface CompareWithProps {
  readonly series: readonly BlobSeries[];
  /** With the name of its run on the page. */
  readonly other: ImageWith | null;
  /** Of the image that is shown. */
  readonly run: string;
}

/** Selects the other image: its run, and the step of the page or a fixed one. */
function CompareWith({ series, other, run }: CompareWithProps) {
  const { view } = useWorld();
  const { compared } = useContents();
  const otherSeries = other && series.find((one) => one.run === other.run);
  const compareWith = (name: string, step: number | null): void =>
    changeView(view, { imageWith: { run: inAddress([name], compared)[0]!, step } });
  const choose = (name: string): void => {
    const isOwn = name === run;
    // The same image twice would show nothing: its own run begins with the first step
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

function Comparisons({ of, comparison }: ComparisonsProps) {
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

function Download({ image }: { readonly image: ShownImage }) {
  const { api } = useWorld();
  return (
    <a className="button quiet" href={api.at(`/blobs/${image.blob.key}`)} download>
      Download
    </a>
  );
}
