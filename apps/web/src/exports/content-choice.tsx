import { useId } from 'react';
import { namesIn } from '../compare/compared-run.ts';
import { scalarTags } from '../experiment/card-rows.ts';
import { useContents, useView } from '../experiment/experiment-context.ts';

/** Maximum names of each kind per request, as in the service. */
const maxNames = 1_000;

/** The runs and tags in a request. If absent, all runs and tags are requested. */
export interface Content {
  readonly runs?: readonly string[];
  readonly tags?: readonly string[];
}

/** What the page currently shows. */
export interface CurrentSelection {
  readonly content: Content;
  /** A description of the content. */
  readonly about: string;
  /**
   * Whether this choice makes sense. It does not if nothing is shown, if everything is shown, or if
   * there are too many names for a request.
   */
  readonly isUsable: boolean;
}

/**
 * The runs that the page currently shows. Unless `of` is `runs`, also the scalar tags that pass the
 * page's filter.
 */
export function useCurrentSelection(of: 'runs' | 'tags' = 'tags'): CurrentSelection {
  const { runs, shown, tags } = useContents();
  const filter = useView(({ tagFilter }) => tagFilter);
  const allRuns = namesIn(
    '',
    runs.map(({ run }) => run),
  );
  const someRuns = namesIn('', [...shown]);
  const allTags = scalarTags(tags, '');
  const someTags = scalarTags(tags, filter);
  const content = {
    ...(someRuns.length < allRuns.length && { runs: someRuns }),
    ...(of === 'tags' && someTags.length < allTags.length && { tags: someTags }),
  };
  const isPart = content.runs !== undefined || content.tags !== undefined;
  return {
    content,
    about: [
      `${someRuns.length} of ${several(allRuns.length, 'run')}`,
      ...(of === 'tags' ? [`${someTags.length} of ${several(allTags.length, 'scalar tag')}`] : []),
    ].join(', '),
    isUsable:
      isPart && [content.runs, content.tags].every((names) => names === undefined || (names.length > 0 && names.length <= maxNames)),
  };
}

interface ContentChoiceProps {
  readonly selection: CurrentSelection;
  readonly part: boolean;
  readonly onPart: (part: boolean) => void;
}

/** Selects either everything, or what the page currently shows. */
export function ContentChoice({ selection, part, onPart }: ContentChoiceProps) {
  const id = useId();
  return (
    <fieldset className="field">
      <legend>Content</legend>
      <label className="choice">
        <input type="radio" name={id} checked={!part || !selection.isUsable} onChange={() => onPart(false)} />
        Whole experiment
      </label>
      <label className="choice">
        <input type="radio" name={id} checked={part && selection.isUsable} disabled={!selection.isUsable} onChange={() => onPart(true)} />
        Currently shown: {selection.about}
      </label>
    </fieldset>
  );
}

function several(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
