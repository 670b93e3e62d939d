import { describe, expect, it } from 'vitest';
import { parseView, plainView, type View, viewParameters } from '../view.ts';
import { chooseRuns, isShown, soloRun } from './choice.ts';

describe('runs', () => {
  const shown = (view: View): string[] => ['a1', 'a2', 'b'].filter(isShown(view));

  it('are hidden and shown one at a time', () => {
    const hidden = { ...plainView, ...chooseRuns(plainView, ['a1'], false) };
    expect(shown(hidden)).toEqual(['a2', 'b']);
    expect(shown({ ...hidden, ...chooseRuns(hidden, ['a1'], true) })).toEqual(['a1', 'a2', 'b']);
  });

  it('are shown alone, and all again', () => {
    const solo = { ...plainView, ...soloRun(plainView, 'b') };
    expect(shown(solo)).toEqual(['b']);
    expect(shown({ ...solo, ...chooseRuns(solo, ['a1'], true) })).toEqual(['a1', 'b']);
    expect({ ...solo, ...soloRun(solo, 'b') }).toEqual(plainView);
  });

  it('are hidden and shown in bulk, also all of them', () => {
    const hidden = { ...plainView, ...chooseRuns(plainView, ['a1', 'a2'], false) };
    expect(shown(hidden)).toEqual(['b']);
    const none: View = { ...plainView, onlyRuns: [] };
    expect(shown(parseView(viewParameters(none)))).toEqual([]);
    expect(shown({ ...none, ...chooseRuns(none, ['b', 'a2'], true) })).toEqual(['a2', 'b']);
    expect(shown({ ...none, ...chooseRuns({ ...none, onlyRuns: ['a1', 'b'] }, ['b', 'a2'], false) })).toEqual(['a1']);
  });

  it('are filtered first', () => {
    expect(shown({ ...plainView, runFilter: '^a', hiddenRuns: ['a2'] })).toEqual(['a1']);
  });
});
