import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { embedOfView, viewOfLink } from './view-of-link.ts';

const whole = { runs: null, tags: null };
const part = { runs: ['shown', 'other'], tags: ['loss'] };
const names = (text: string | null) => Object.fromEntries([...new URLSearchParams(text ?? '')].map(([name, value]) => [name, value]));

/** Every parameter of the page, with a name that a partial link hides. */
const everything = new URLSearchParams([
  ['tab', 'runs'],
  ['smoothing', '0.9'],
  ['tagFilter', 'secret'],
  ['runFilter', 'secret'],
  ['pinnedCards', JSON.stringify([{ plugin: 'scalars', tag: 'secret' }])],
  ['run', 'shown'],
  ['run', 'secret'],
  ['hide', 'secret'],
  ['card', 'secret'],
  ['with', 'secret'],
  ['y', '0..1:secret'],
  ['fold', 'secret'],
  ['graph', 'secret'],
  ['open', 'secret'],
  ['image', '["secret","secret"]'],
  ['imageWith', '["secret",1]'],
  ['textDiff', 'run:secret'],
  ['runColorGroup', 'regex:secret'],
  ['runSort', 'last:secret'],
  ['where', 'h:secret = 1'],
  ['compare', 'secretsecretsecretsecr'],
  ['about', 'secret'],
  ['embed', 'true'],
  ['sort', 'm:secret'],
  ['column', 'h:secret'],
  ['pin', 'h:secret'],
  ['group', 'h:secret'],
]).toString();

describe('the view of a link', () => {
  it('is that of the page, without other experiments, if the link shows everything', () => {
    const kept = viewOfLink(everything, whole);
    expect(names(kept)).toMatchObject({ tab: 'runs', smoothing: '0.9', runFilter: 'secret', where: 'h:secret = 1' });
    expect(kept).not.toMatch(/compare|embed/);
    const foreign = new URLSearchParams({
      compare: 'other',
      image: '["a","other//a"]',
      imageWith: '["other//a"]',
      textDiff: 'run:other//a',
    });
    expect(viewOfLink(foreign.toString(), whole)).toBeNull();
    expect(names(viewOfLink('compare=other&run=other//a&run=b&hide=x&about=other//a', whole))).toEqual({ run: 'b', hide: 'x' });
  });

  it.each([whole, { runs: null, tags: ['loss'] }, { runs: ['shown', 'Other name//a'], tags: null }])(
    'names no run of another experiment, by its id or its name, even if it is no longer compared: %j',
    (shown) => {
      for (const run of ['Other name//a', 'https://x//a', 'secretsecretsecretsecr//a'])
        for (const compare of [{}, { compare: 'another' }]) {
          const view = new URLSearchParams([
            ...Object.entries(compare),
            ['run', run],
            ['hide', run],
            ['about', run],
            ['image', JSON.stringify(['loss', run])],
            ['imageWith', JSON.stringify([run, 3])],
            ['textDiff', `run:${run}`],
          ]);
          expect(viewOfLink(view.toString(), shown) ?? '').not.toMatch(/Other|secret|https|%2F/);
        }
    },
  );

  it('names nothing that a partial link hides', () => {
    expect(names(viewOfLink(everything, part))).toEqual({ tab: 'runs', smoothing: '0.9', run: 'shown' });
    expect(viewOfLink(everything, { runs: ['shown'], tags: null })).toContain('card=secret'); // all tags are shown
    expect(viewOfLink(everything, { runs: null, tags: ['loss'] })).not.toMatch(/card|where|Filter|sort|column/);
    expect(viewOfLink('run=secret', part)).toBeNull();
    const image = new URLSearchParams({ image: '["loss","shown"]', imageWith: '["other",3]', images: 'grid' }).toString();
    expect(viewOfLink(image, part)).toBe(
      new URLSearchParams({ images: 'grid', image: '["loss","shown"]', imageWith: '["other",3]' }).toString(),
    );
    expect(names(viewOfLink('textDiff=run:shown', part))).toEqual({ textDiff: 'run:shown' });
    expect(names(viewOfLink('textDiff=step:5', part))).toEqual({ textDiff: 'step:5' });
    for (const hidden of ['["loss","secret"]', '["secret","shown"]'])
      expect(viewOfLink(new URLSearchParams({ image: hidden }).toString(), part)).toBeNull();
    expect(viewOfLink('run=shown&run=other', part)).toBeNull(); // all of them
    expect(names(viewOfLink('card=loss&with=secret&y=0..1:loss&hide=shown', part))).toEqual({
      card: 'loss',
      y: '0..1:loss',
      hide: 'shown',
    });
  });

  it('is null if it is the default, and bounded', () => {
    expect(viewOfLink('', whole)).toBeNull();
    expect(viewOfLink('nothing=known&smoothing=0.6', whole)).toBeNull();
    expect(() => viewOfLink(`runFilter=${'x'.repeat(limits.maxSavedViewCharacters)}`, whole)).toThrow(/the limit is/);
  });

  it('selects and draws the charts of an embed', () => {
    expect(embedOfView('smoothing=0.2&xAxis=relative&run=a&run=b&card=loss&with=acc&tab=runs')).toEqual({
      smoothing: '0.2',
      xAxis: 'relative',
      run: ['a', 'b'],
      tag: ['loss', 'acc'],
    });
    expect(embedOfView('xAxis=wall')).toEqual({});
    expect(embedOfView(null)).toEqual({});
  });
});
