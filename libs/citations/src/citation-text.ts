import { type Citation, digestText, oneLine } from './citation.ts';

/** The citation as plain text, in the form that DataCite recommends for data. */
export function citationText({ authors, published, title, publisher, url, digest }: Citation): string {
  const who = authors.map(oneLine).filter((author) => author !== '');
  const year = published.slice(0, 4);
  const head = who.length > 0 ? `${who.join('; ')} (${year}): ${oneLine(title)}` : `${oneLine(title)} (${year})`;
  return `${head} [data set]. ${oneLine(publisher)}. ${url}${digest === null ? '' : ` (content digest ${digestText(digest)})`}`;
}
