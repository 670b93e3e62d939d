import { useMemo, useState } from 'react';
import { formatCount, visibleText } from '#charts';
import { type ChangedLine, changesOf } from './text-changes.ts';

/** Maximum lines drawn. */
const mostLines = 1_000;

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** What changed from one text to the other, line by line, as plain text. */
export default function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const [whole, setWhole] = useState(false);
  const changes = useMemo(() => changesOf(before, after, whole), [before, after, whole]);
  if (!changes) return <p className="dim">The texts differ too much to be compared.</p>;
  if (changes.added + changes.removed === 0) return <p className="dim">No difference.</p>;
  const left = changes.lines.length - mostLines;
  return (
    <div className="text-diff">
      <p className="dim">
        {countOf(changes.added, 'added')}, {countOf(changes.removed, 'removed')}
      </p>
      {changes.lines.slice(0, mostLines).map((line, i) =>
        line.kind === 'gap' ? (
          <button key={i} type="button" className="quiet gap" onClick={() => setWhole(true)}>
            {formatCount(line.lines)} equal lines
          </button>
        ) : (
          <Line key={i} line={line} />
        ),
      )}
      {left > 0 && <p className="dim">and {formatCount(left)} more lines</p>}
    </div>
  );
}

function countOf(lines: number, what: string): string {
  return `${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'} ${what}`;
}

function Line({ line }: { readonly line: Exclude<ChangedLine, { kind: 'gap' }> }) {
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
