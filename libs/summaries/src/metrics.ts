import type { TagName } from '#model';
import { floatOf } from './numbers.ts';
import type { ScalarSeries } from './scalar-summary.ts';

/** Which values of a metric are better. */
export type Goal = 'min' | 'max';

const lowIsGood = /(^|[^a-z])(loss(es)?|nll|err|errors?|mse|rmse|mae|mape|perplexity|ppl|wer|cer|fid|regret|kl)([^a-z]|$)|loss$/i;
const highIsGood =
  /(^|[^a-z])(acc|accuracy|auc|auroc|f1|reward|returns?|score|bleu|rouge|map|m?iou|psnr|ssim|recall|precision|success|r2|dice)([^a-z]|$)|(accuracy|reward)$/i;

/** Guessed from a tag's words; if null (unknown), a summary shows both ends. */
export function goalOf(tag: TagName): Goal | null {
  if (lowIsGood.test(tag)) return 'min';
  return highIsGood.test(tag) ? 'max' : null;
}

/**
 * Sort key of a tag: validation before training, metrics with a goal before the rest, `system/`
 * last; then by name. Smaller is earlier.
 */
export function rankOf(tag: TagName): number {
  if (tag.startsWith('system/')) return 4;
  const held = /(^|[^a-z])(val|valid|validation|eval|test|dev)([^a-z]|$)/i.test(tag);
  return goalOf(tag) === null ? 3 : held ? 0 : 1;
}

/** With fewer points, there is no trend. */
const minPoints = 8;
/** Changes of less than this fraction of the range of all values are not a trend. */
const flatShare = 0.02;

/**
 * The direction of the second half of a series, i.e. whether the median of the last quarter differs
 * from the median of the quarter before it by more than 2 % of the range of all values. Null for
 * too few finite points.
 */
export function trendOf(series: ScalarSeries): 'rising' | 'falling' | 'flat' | null {
  const values = (series.columns['last'] ?? series.columns['value'] ?? []).map(floatOf).filter(Number.isFinite);
  if (values.length < minPoints) return null;
  const quarter = Math.floor(values.length / 4);
  const change = median(values.slice(-quarter)) - median(values.slice(-2 * quarter, -quarter));
  const range = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  if (Math.abs(change) <= flatShare * range) return 'flat';
  return change > 0 ? 'rising' : 'falling';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

/**
 * Whether a loss diverged: it ends with NaN or +∞, or it ends above its first value by more than
 * its largest decrease plus half of the first value.
 */
export function hasDiverged(first: number, smallest: number, last: number): boolean {
  if (Number.isNaN(last) || last === Infinity) return true;
  if (!Number.isFinite(first) || !Number.isFinite(smallest)) return false;
  return last - first > first - smallest + Math.abs(first) / 2;
}
