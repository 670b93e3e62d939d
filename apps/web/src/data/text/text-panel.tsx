import { formatCount, visibleText } from '#charts';
import { useView } from '../../experiment/experiment-context.ts';
import { Near } from '../near.tsx';
import { RunCaption } from '../run-caption.tsx';
import { StateNote } from '../state-note.tsx';
import { StepSlider, stepsOf } from '../step-slider.tsx';
import { TagHead } from '../tag-head.tsx';
import { TagSections } from '../tag-sections.tsx';
import { indexAt, type TensorJson, useTensors } from '../values.ts';
import { Markdown } from './markdown.tsx';
import { isOneText, rowsOf, textOf } from './text-cells.ts';

/** Texts of all runs at one step. */
export default function TextPanel() {
  return (
    <TagSections
      tab="text"
      section={(tag) => (
        <Near height={120}>
          <TextTag tag={tag} />
        </Near>
      )}
    />
  );
}

function TextTag({ tag }: { readonly tag: string }) {
  const { series, ...state } = useTensors({ tag, plugin: 'text', points: 50 });
  const step = useView((view) => view.step);
  return (
    <article className="values" aria-label={visibleText(tag)}>
      <TagHead tag={tag}>
        <StepSlider steps={stepsOf(series.map(({ columns }) => columns.step))} label={visibleText(tag)} />
      </TagHead>
      <StateNote {...state} empty={series.length === 0} />
      {series.map(({ run, columns }) => {
        const index = indexAt(columns.step, step);
        const value = columns.value[index];
        return (
          <div key={run} className="logged-text">
            <RunCaption run={run}>{value && `step ${formatCount(columns.step[index]!)}`}</RunCaption>
            {value && <Cells value={value} />}
          </div>
        );
      })}
    </article>
  );
}

/** A text; several as a table like in TensorBoard. */
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
