import { Suspense } from 'react';
import { formatCount, readTextBase, type TextBase, textBaseRun, visibleText } from '#charts';
import { Boundary } from '../../app/boundary.tsx';
import { maxChoices } from '../../app/choices.ts';
import { later } from '../../app/later.ts';
import { type Compared, fromAddress, inAddress, runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { indexAt, type TensorJson, type TensorSeries, useTensors } from '../values.ts';
import { Markdown } from './markdown.tsx';
import { isOneText, plainTextOf, rowsOf, textOf } from './text-cells.ts';

const TextDiff = later(() => import('./text-diff.tsx'));

/** The texts of all runs at one step, or the changes between them. */
export default function TextPanel() {
  return (
    <TagSections
      tab="text"
      controls={<CompareWith />}
      section={(tag) => (
        <Near height={120}>
          <TextTag tag={tag} />
        </Near>
      )}
    />
  );
}

/**
 * Converts the run name of the text to compare with, between its forms in the URL and on the page.
 */
function renamed(base: TextBase, compared: readonly Compared[], rename: typeof inAddress): TextBase {
  const run = textBaseRun(base);
  return run === null ? base : `run:${rename([run], compared)[0]!}`;
}

/** Selects the text with which each text is compared. */
function CompareWith() {
  const { view } = useWorld();
  const { runs, shown, compared } = useContents();
  const textBase = useView((all) => all.textBase);
  const base = renamed(textBase, compared, fromAddress);
  const step = useView((all) => all.step);
  const run = textBaseRun(base);
  const fixed = [...new Set([base.startsWith('step:') ? base : null, step === null ? null : `step:${step}`])].filter((one) => one !== null);
  const names = runs.map((one) => one.run).filter((name) => shown.has(name) && name !== run);
  return (
    <label className="choice">
      Compare with
      <select
        value={base}
        onChange={({ target }) => changeView(view, { textBase: renamed(readTextBase(target.value), compared, inAddress) })}
      >
        <option value="">nothing</option>
        <option value="previous">previous step</option>
        <option value="first">first step</option>
        {fixed.map((one) => (
          <option key={one} value={one}>
            step {formatCount(one.slice('step:'.length))}
          </option>
        ))}
        {run !== null && <option value={base}>{runText(run)}</option>}
        {names.slice(0, maxChoices).map((name) => (
          <option key={name} value={`run:${name}`}>
            {runText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function TextTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useTensors({ tag, plugin: 'text', points: 50 });
  const { compared } = useContents();
  const step = useView((view) => view.step);
  const inView = useView((view) => view.textBase);
  const textBase = renamed(inView, compared, fromAddress);
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag}>
        <StepSlider steps={stepsOf(series.map(({ columns }) => columns.step))} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      {series.map((one) => {
        const shown = textAt(one, indexAt(one.columns.step, step));
        const base = shown && textBase !== '' ? baseOf(series, one, textBase, step) : null;
        return (
          <div key={one.run} className="logged-text">
            <RunCaption run={one.run}>{shown && `step ${formatCount(shown.step)}`}</RunCaption>
            {base && base !== 'same' && (
              <span className="dim compared-with">
                compared with {base.run !== one.run && `${runText(base.run)}, `}step {formatCount(base.step)}
              </span>
            )}
            {shown && base && base !== 'same' ? (
              <Boundary what="The comparison">
                <Suspense fallback={<p aria-busy="true" />}>
                  <TextDiff
                    key={`${base.step} ${shown.step} ${base.run}`}
                    before={plainTextOf(base.value)}
                    after={plainTextOf(shown.value)}
                  />
                </Suspense>
              </Boundary>
            ) : (
              <>
                {shown && textBase !== '' && base === null && <span className="dim compared-with">no text to compare with</span>}
                {shown && <Cells value={shown.value} />}
              </>
            )}
          </div>
        );
      })}
    </article>
  );
}

/** A logged text, and where it comes from. */
interface TextPoint {
  readonly run: string;
  readonly step: number | string;
  readonly value: TensorJson;
}

function textAt({ run, columns }: TensorSeries, index: number): TextPoint | null {
  const value = columns.value[index];
  return value === undefined ? null : { run, step: columns.step[index]!, value };
}

/**
 * The text with which a run's text is compared. Null if there is none. `same`: it is the run's text
 * itself.
 */
function baseOf(series: readonly TensorSeries[], own: TensorSeries, base: TextBase, step: number | null): TextPoint | 'same' | null {
  const index = indexAt(own.columns.step, step);
  const run = textBaseRun(base);
  if (run !== null) {
    const other = series.find((one) => one.run === run);
    return run === own.run ? 'same' : other ? textAt(other, indexAt(other.columns.step, step)) : null;
  }
  if (base === 'previous') return textAt(own, index - 1);
  const at = base === 'first' ? 0 : indexAt(own.columns.step, Number(base.slice('step:'.length)));
  return at === index ? 'same' : textAt(own, at);
}

/** A text. Several texts form a table, as in TensorBoard. */
function Cells({ value }: { readonly value: TensorJson }) {
  if (isOneText(value)) return <Markdown text={textOf(value.data[0])} />;
  const { rows, left } = rowsOf(value);
  return (
    <div className="scroll">
      <table>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>
                  <Markdown text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="dim">and {formatCount(left)} more texts</p>}
    </div>
  );
}
