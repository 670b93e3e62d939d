import { useMemo } from 'react';
import { reportBlockLanguage } from '#charts';
import { type DocumentParts, MarkdownDocument } from '../data/text/markdown.tsx';
import { ReportBlock } from './report-block.tsx';

/** The text of a report, with its charts. */
export function ReportText({ text }: { readonly text: string }) {
  const parts = useMemo(
    (): DocumentParts => ({
      code: (block, language) => (language.trim() === reportBlockLanguage ? <ReportBlock text={block} /> : undefined),
    }),
    [],
  );
  return (
    <div className="report-text">
      <MarkdownDocument text={text} parts={parts} />
    </div>
  );
}
