import { type ReactNode, use } from 'react';
import { splitTag, visibleText } from '#charts';
import { CardHeadingLevel } from '../app/main-area.tsx';
import { useContents } from '../experiment/experiment-context.ts';

/** A tag's heading, with its logged description. */
export function TagHead({ tag, children }: { readonly tag: string; readonly children?: ReactNode }) {
  const { tags } = useContents();
  const about = tags.find((one) => one.tag === tag)?.description ?? '';
  const level = use(CardHeadingLevel);
  const { group, rest } = splitTag(tag);
  return (
    <header className="tag-head">
      <h3 aria-level={level} title={visibleText(about)}>
        {group !== '' && <span className="dim">{visibleText(group)}</span>}
        {rest === '' ? <span className="dim">(no name)</span> : visibleText(rest)}
      </h3>
      {children}
    </header>
  );
}
