import { Fragment, useMemo, useState } from 'react';
import { formatCount, visibleText } from '#charts';
import type { PlainText } from './text-cells.ts';
import { changesOf, type ComparedLine } from './text-changes.ts';

/** Maximum lines drawn for a comparison, and for each gap in it. */
const maxLines = 1_000;

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** The changes from one text to another, line by line, as plain text. */
export default function TextDiff({ before, after }: { readonly before: PlainText; readonly after: PlainText }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const changes = useMemo(() => changesOf(before.text, after.text), [before.text, after.text]);
  const cut = Math.max(...[before, after].map(({ count, left }) => (left > 0 ? count : 0)));
  const note = cut > 0 && <p className="dim">Only the first {formatCount(cut)} texts were compared.</p>;
  if (!changes || changes.added + changes.removed === 0)
    return (
      <>
        <p className="dim">{changes ? 'No differences.' : 'The texts are too different to compare.'}</p>
        {note}
      </>
    );
  return (
    <div className="text-diff">
      {note}
      <p className="dim">
        {countOf(changes.added, 'added')}, {countOf(changes.removed, 'removed')}
      </p>
      {changes.lines.slice(0, maxLines).map((line, i) =>
        line.kind !== 'gap' ? (
          <Line key={i} line={line} />
        ) : opened.has(i) ? (
          <Fragment key={i}>
            {line.lines.slice(0, maxLines).map((one, j) => (
              <Line key={j} line={one} />
            ))}
            <MoreLines count={line.lines.length - maxLines} />
          </Fragment>
        ) : (
          <button key={i} type="button" className="quiet gap" onClick={() => setOpened(new Set([...opened, i]))}>
            Show {formatCount(line.lines.length)} unchanged lines
          </button>
        ),
      )}
      <MoreLines count={changes.lines.length - maxLines} />
    </div>
  );
}

function MoreLines({ count }: { readonly count: number }) {
  return count > 0 ? <p className="dim">and {formatCount(count)} more lines</p> : null;
}

function countOf(lines: number, what: string): string {
  return `${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'} ${what}`;
}

function Line({ line }: { readonly line: ComparedLine }) {
  const Element = line.kind === 'added' ? 'ins' : line.kind === 'removed' ? 'del' : 'span';
  return (
    <Element className={`diff-line ${line.kind}`}>
      <span className="sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span>
        {line.parts.map(({ text, changed }, i) =>
          changed ? <mark key={i}>{visibleText(text)}</mark> : <span key={i}>{visibleText(text)}</span>,
        )}
      </span>
    </Element>
  );
}
