import { parseReportBlock, parseView, reportBlockLanguage } from '#charts';
import { type ExperimentId, isExperimentId } from '#model';

/**
 * A line that opens a code block in a report, alone or in quotes and lists. The page parses the
 * text as Markdown; here, one pass over the lines finds at least the same blocks, in linear time
 * for any text.
 */
const opening = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]*)*(?:`{3,}(?!`)|~{3,}(?!~))\s*(\S+)\s*$/;

/** The characters before the content of a line in quotes and lists. */
const nesting = /^[ \t>]+/;

/**
 * Finds the experiments that the blocks of a report show, and those that their views compare. May
 * find a block that the page does not show, such as a block inside a longer code block, but misses
 * none. `site`: as for `parseReportBlock`.
 */
export function citedExperiments(body: string, site: { readonly origin: string; readonly base: string }): ExperimentId[] {
  const found = new Set<ExperimentId>();
  let isOpen = false;
  for (const line of body.split(/\r\n|\r|\n/)) {
    if (opening.exec(line)?.[1] === reportBlockLanguage) {
      isOpen = true;
    } else if (isOpen) {
      const address = line.replace(nesting, '').trim();
      if (address === '') continue;
      isOpen = false;
      for (const id of experimentsAt(address, site)) found.add(id);
    }
  }
  return [...found];
}

function experimentsAt(address: string, site: { readonly origin: string; readonly base: string }): ExperimentId[] {
  const block = parseReportBlock(address, site);
  if ('fault' in block) return [];
  return [block.experimentId, ...parseView(new URLSearchParams(block.search)).compare].filter(isExperimentId);
}
