import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citationBibtex } from './bibtex.ts';
import type { Citation } from './citation.ts';
import { citationText } from './citation-text.ts';
import { citationDataCite } from './datacite.ts';

const plain: Citation = {
  id: 'aR7vT9qLmX2bN8cRz5WfYh',
  url: 'https://plots.example/e/aR7vT9qLmX2bN8cRz5WfYh/citation',
  title: 'Learning rates of ResNet-50',
  authors: ['Jane Doe', 'Müller, Jörg', 'Vision and Language Lab'],
  license: 'cc-by-4.0',
  published: '2026-11-27',
  publisher: 'Plotline (plots.example)',
  digest: 'ab'.repeat(32),
};

describe('a citation', () => {
  it('is one line of text', () => {
    expect(citationText(plain)).toBe(
      `Jane Doe; Müller, Jörg; Vision and Language Lab (2026): Learning rates of ResNet-50 [data set]. Plotline (plots.example). ${plain.url} (content digest sha256:${plain.digest})`,
    );
    expect(citationText({ ...plain, authors: [], digest: null })).toBe(
      `Learning rates of ResNet-50 (2026) [data set]. Plotline (plots.example). ${plain.url}`,
    );
    expect(citationText({ ...plain, title: 'a\r\nb\u202Ec' })).toContain(': a b c [data set]');
  });

  it('is a BibTeX entry', () => {
    expect(citationBibtex(plain)).toBe(`@misc{plotline_aR7vT9qLmX2bN8cRz5WfYh,
  title = {{Learning rates of ResNet-50}},
  author = {Jane Doe and Müller, Jörg and {Vision and Language Lab}},
  year = {2026},
  month = {11},
  publisher = {{Plotline (plots.example)}},
  url = {${plain.url}},
  note = {Data set, license cc-by-4.0, content digest sha256:${plain.digest}},
}
`);
  });

  it('keeps any text within its BibTeX field', () => {
    const hostile = fc.string({ unit: fc.constantFrom('{', '}', '\\', '"', '%', '#', '@', ',', '\n', '=', ' ', 'a', 'and', '$') });
    fc.assert(
      fc.property(hostile, fc.array(hostile, { maxLength: 3 }), hostile, (title, authors, license) => {
        const fields = parseBibtex(citationBibtex({ ...plain, title, authors, license }));
        expect(Object.keys(fields).filter((name) => name !== 'author')).toEqual(['title', 'year', 'month', 'publisher', 'url', 'note']);
        expect(fields['url']).toBe(plain.url);
        expect(fields['note']).toContain(`sha256:${plain.digest}`);
      }),
    );
  });

  it('has the metadata of a DOI', () => {
    expect(citationDataCite(plain, { url: 'https://plots.example/e/source', values: 12 })).toMatchObject({
      data: {
        type: 'dois',
        attributes: {
          creators: [
            { name: 'Jane Doe' },
            { name: 'Müller, Jörg', nameType: 'Personal', familyName: 'Müller', givenName: 'Jörg' },
            { name: 'Vision and Language Lab' },
          ],
          publicationYear: 2026,
          rightsList: [{ rightsIdentifier: 'CC-BY-4.0', rightsIdentifierScheme: 'SPDX' }],
          relatedIdentifiers: [{ relationType: 'IsVersionOf' }],
        },
      },
    });
    expect(citationDataCite({ ...plain, authors: [], license: 'ask us' }, { url: null, values: 0 })).toMatchObject({
      data: { attributes: { creators: [{ name: ':unav' }], rightsList: [{ rights: 'ask us' }], relatedIdentifiers: [] } },
    });
  });
});

/** Reads an entry as BibTeX does: a field ends where its braces are balanced. */
function parseBibtex(entry: string): Record<string, string> {
  const fields: Record<string, string> = {};
  let at = entry.indexOf(',') + 1;
  for (;;) {
    const head = /^\s*(\w+) = \{/.exec(entry.slice(at));
    if (!head) break;
    const from = at + head[0].length;
    let depth = 1;
    let to = from;
    for (; depth > 0 && to < entry.length; to++) depth += entry[to] === '{' ? 1 : entry[to] === '}' ? -1 : 0;
    expect(fields).not.toHaveProperty(head[1]!);
    fields[head[1]!] = entry.slice(from, to - 1);
    expect(entry[to]).toBe(',');
    at = to + 1;
  }
  expect(entry.slice(at)).toBe('\n}\n');
  return fields;
}
