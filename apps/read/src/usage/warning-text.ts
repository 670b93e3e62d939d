import { quotaTitles, type QuotaUse } from '#workspaces';
import { count, sizeText } from '../page/format.ts';

/** The warning about a quota that is nearly or fully used, in one sentence. */
export function warningText(use: QuotaUse): string {
  const part = use.state === 'exceeded' ? 'All' : shareOf(use);
  const end = use.state === 'exceeded' ? '; uploads are rejected' : '';
  return `${part} of this workspace's ${amountText(use, use.limit)} ${quotaTitles[use.name]} are used${end}.`;
}

/** Whole percent, rounded down: only a full quota shows 100 %. */
export function shareOf({ used, limit }: QuotaUse): string {
  return limit === 0 ? '–' : `${Math.floor((used / limit) * 100)} %`;
}

function amountText({ name }: QuotaUse, value: number): string {
  return name === 'bytes' || name === 'pending_bytes' ? sizeText(value) : count(value);
}
