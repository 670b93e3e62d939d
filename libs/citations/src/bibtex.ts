import { type Citation, digestText, oneLine } from './citation.ts';

/**
 * LaTeX's special characters, as text. BibTeX counts braces even after a backslash, so braces are
 * written as commands that contain none.
 */
const special: Readonly<Record<string, string>> = {
  '\\': '{\\textbackslash}',
  '{': '{\\textbraceleft}',
  '}': '{\\textbraceright}',
  '~': '{\\textasciitilde}',
  '^': '{\\textasciicircum}',
  '"': '{\\textquotedbl}',
  '<': '{\\textless}',
  '>': '{\\textgreater}',
  '|': '{\\textbar}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
};

/** The citation as a BibTeX entry that every style reads. */
export function citationBibtex(citation: Citation): string {
  const { id, title, authors, published, publisher, url, license, digest } = citation;
  const names = authors.map(author).filter((name) => name !== '');
  const notes = [
    'Data set',
    ...(license === null || oneLine(license) === '' ? [] : [`license ${escape(license)}`]),
    ...(digest === null ? [] : [`content digest ${digestText(digest)}`]),
  ];
  const fields: readonly (readonly [string, string])[] = [
    ['title', `{${escape(title)}}`],
    ...(names.length > 0 ? [['author', names.join(' and ')] as const] : []),
    ['year', published.slice(0, 4)],
    ['month', String(Number(published.slice(5, 7)))],
    ['publisher', `{${escape(publisher)}}`],
    ['url', url],
    ['note', notes.join(', ')],
  ];
  return `@misc{plotline_${id},\n${fields.map(([name, value]) => `  ${name} = {${value}},\n`).join('')}}\n`;
}

/**
 * BibTeX splits names at "and", commas and spaces. A name that it would split incorrectly is put in
 * braces.
 */
function author(name: string): string {
  const text = oneLine(name);
  const isPerson = /^[^,]+ [^,]+$|^[^,]+, [^,]+$/.test(text) && !/\b(and|others)\b/i.test(text);
  return text === '' || isPerson ? escape(text) : `{${escape(text)}}`;
}

function escape(text: string): string {
  return oneLine(text).replaceAll(/[\\{}~^"<>|$&#%_]/g, (character) => special[character]!);
}
