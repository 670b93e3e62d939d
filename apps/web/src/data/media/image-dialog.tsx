import { type ReactNode, useEffect } from 'react';
import { type ImageChoice, imageComparisons, visibleText } from '#charts';
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
import { Comparisons, CompareWith } from './compare-with.tsx';
import { ImageStage, type ShownImage } from './compared-images.tsx';
import { imagePointAt, picturesOf, useImages } from './pictures.tsx';

/**
 * An image as large as the window, alone or compared with another image of its tag. ← and → move
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
    // Keys continue to work after the focused element is disabled
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
        <Stepper what="step" signs={['←', '→']} isFirst={atStep <= 0} isLast={atStep === ownSteps.length - 1} onGo={goStep}>
          <span>Step</span>
        </Stepper>
        <Stepper what="run" signs={['↑', '↓']} isFirst={at <= 0} isLast={at === series.length - 1} onGo={goRun}>
          <select aria-label="Run" value={run} onChange={({ target }) => show(target.value)}>
            {!own && <option value={run}>{runText(run)}</option>}
            <RunOptions series={series} />
          </select>
        </Stepper>
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

/** A run's image at a step. `count`: how many images were logged at this step. */
function shownImage(series: BlobSeries, step: number | null, index: number): { readonly image: ShownImage; readonly count: number } | null {
  const point = imagePointAt(series, step);
  if (!point) return null;
  const pictures = picturesOf(point);
  const blob = pictures[Math.min(index, pictures.length - 1)];
  return blob ? { image: { run: series.run, step: point.step, blob }, count: pictures.length } : null;
}

interface StepperProps {
  readonly what: 'step' | 'run';
  readonly signs: readonly [previous: string, next: string];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onGo: (by: number) => void;
  readonly children: ReactNode;
}

/** Buttons for the previous and next step or run. */
function Stepper({ what, signs: [previous, next], isFirst, isLast, onGo, children }: StepperProps) {
  return (
    <span className="stepper">
      <button type="button" aria-label={`Previous ${what}`} disabled={isFirst} onClick={() => onGo(-1)}>
        {previous}
      </button>
      {children}
      <button type="button" aria-label={`Next ${what}`} disabled={isLast} onClick={() => onGo(1)}>
        {next}
      </button>
    </span>
  );
}

function RunOptions({ series }: { readonly series: readonly BlobSeries[] }) {
  return series.slice(0, maxChoices).map((one) => (
    <option key={one.run} value={one.run}>
      {runText(one.run)}
    </option>
  ));
}

function Download({ image }: { readonly image: ShownImage }) {
  const { api } = useWorld();
  return (
    <a className="button quiet" href={api.at(`/blobs/${image.blob.key}`)} download>
      Download
    </a>
  );
}
