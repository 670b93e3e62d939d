import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { isWeb, Markdown } from './markdown.tsx';
import { rowsOf, textOf } from './text-cells.ts';

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

describe('logged Markdown', () => {
  it('is rendered', () => {
    expect(html('# Title\n\n**bold** and `code`\n\n- one\n- two')).toBe(
      '<div class="markdown"><p class="h1">Title</p><p><strong>bold</strong> and <code>code</code></p><ul><li>one</li><li>two</li></ul></div>',
    );
    expect(html('|a|b|\n|-|-|\n|1|2|')).toContain('<td>2</td>');
  });

  it('never becomes markup, loads nothing and links only to the web', () => {
    const text = html(
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n![p](http://evil/x.png) [a](javascript:alert(1)) [b](https://ok/)',
    );
    expect(text).not.toMatch(/<script|<img|href="javascript/);
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('href="https://ok/"');
    expect(text).toContain('[picture: p]');
  });

  it('may be deeply nested or long', () => {
    expect(html(`${'> '.repeat(2000)}x`).length).toBeGreaterThan(0);
    expect(html('a'.repeat(300_000))).toMatch(/^<pre/);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil', '/e/x', 'vbscript:x', ' https://x', 'http:x'])(
    'does not accept %s as an address',
    (href) => expect(isWeb(href)).toBe(false),
  );
});

describe('texts of a tensor', () => {
  it('are rows and columns; with more dimensions, the first slice', () => {
    expect(rowsOf({ dtype: 'string', shape: [2, 2], data: ['a', 'b', 'c', 'd'] })).toEqual({
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
      left: 0,
    });
    expect(rowsOf({ dtype: 'string', shape: [2], data: ['a', 'b'] })).toEqual({ rows: [['a'], ['b']], left: 0 });
    expect(rowsOf({ dtype: 'string', shape: [1, 2, 2], data: ['a', 'b', 'c', 'd'] })).toEqual({ rows: [['a', 'c']], left: 2 });
    expect(rowsOf({ dtype: 'string', shape: [0], data: [] })).toEqual({ rows: [], left: 0 });
  });

  it('may be invalid UTF-8', () => expect(textOf({ base64: '//4AcmF3' })).toContain('raw'));
});
