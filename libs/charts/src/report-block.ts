import { searchWithRun } from './view-address.ts';
import { parseView, type View, viewParameters } from './view.ts';

/** The language of a Markdown code block that shows a view. */
export const reportBlockLanguage = 'plotline';

/** A view of an experiment in a report. */
export interface ReportView {
  readonly experimentId: string;
  /** The view's parameters; `card` is the chart to show alone. */
  readonly search: string;
  /** The text below the view; empty if there is none. */
  readonly caption: string;
}

/** Why a block shows nothing, as a sentence. */
export interface BlockFault {
  readonly fault: string;
}

const pagePath = /^\/e\/([A-Za-z0-9]{22})(\/r\/.+)?\/?$/s;

/**
 * Reads a code block in a report: the address of a view in the first line, and a caption in the
 * following lines. `site`: the origin of this service and the prefix of its paths; addresses of
 * other sites show nothing.
 */
export function parseReportBlock(
  text: string,
  { origin, base }: { readonly origin: string; readonly base: string },
): ReportView | BlockFault {
  const [address = '', ...lines] = text.trim().split('\n');
  const caption = lines.join('\n').trim();
  if (address.trim() === '') return { fault: 'This block is empty. Paste the address of a view into it.' };
  if (!URL.canParse(address.trim(), origin)) return { fault: 'This is not an address.' };
  const url = new URL(address.trim(), origin);
  if (url.origin !== origin) return { fault: 'This address belongs to another site. Reports show only experiments of this service.' };
  const { pathname } = url;
  const path = base !== '' && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  const experimentId = pagePath.exec(path)?.[1];
  if (experimentId === undefined) return { fault: "This is not the address of an experiment. Copy the address from an experiment's page." };
  const view = parseView(new URLSearchParams(searchWithRun(path, url.search)));
  return { experimentId, search: viewParameters(shownInBlock(view)).toString(), caption };
}

/**
 * The view as a block shows it: a run's page becomes a view of only this run, and an image in full
 * screen a view of only its tag and run.
 */
function shownInBlock(view: View): View {
  const { about, image, tab } = view;
  const run = about ?? (tab === 'images' ? (image?.run ?? null) : null);
  return {
    ...view,
    about: null,
    image: null,
    imageWith: null,
    embed: true,
    ...(run !== null && { onlyRuns: [run], hiddenRuns: [], runFilter: '' }),
    ...(tab === 'images' && image && { tagFilter: `^${escaped(image.tag)}$` }),
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** The text of a block that shows the view at this address. */
export function reportBlock(address: string): string {
  return `\`\`\`${reportBlockLanguage}\n${address}\n\`\`\``;
}
