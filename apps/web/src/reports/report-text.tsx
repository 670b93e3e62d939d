import { useMemo, useState } from 'react';
import { reportBlockLanguage } from '#charts';
import { type DocumentParts, MarkdownDocument } from '../data/text/markdown.tsx';
import { LiveSlots, LiveSlotsContext } from './live-slots.ts';
import { ReportBlock } from './report-block.tsx';

/** The text of a report, with its charts. */
export function ReportText({ text }: { readonly text: string }) {
  const [slots] = useState(() => new LiveSlots());
  const parts = useMemo(
    (): DocumentParts => ({
      code: (block, language) => (language.trim() === reportBlockLanguage ? <ReportBlock text={block} /> : undefined),
    }),
    [],
  );
  return (
    <div className="report-text">
      <LiveSlotsContext value={slots}>
        <MarkdownDocument text={text} parts={parts} />
      </LiveSlotsContext>
    </div>
  );
}
