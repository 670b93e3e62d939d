import fc from 'fast-check';
import { expect, it } from 'vitest';
import { html } from './html.ts';

it('escapes values, keeps HTML unchanged, and leaves out null', () => {
  expect(html`<a title="${`"'`}">${'<b>&'}${html`<i>${1}</i>`}${null}${[html`<u></u>`, 'x<']}</a>`.text).toBe(
    '<a title="&quot;&#39;">&lt;b&gt;&amp;<i>1</i><u></u>x&lt;</a>',
  );
});

it('never lets a text end its element or attribute, or reorder what surrounds it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const inner = html`${text}`.text;
      expect(inner).not.toMatch(/[<>"'\u0000\u202a-\u202e\u2066-\u2069]/);
      expect(inner.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      expect(inner.isWellFormed()).toBe(true);
    }),
  );
});
