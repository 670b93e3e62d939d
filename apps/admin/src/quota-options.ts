import { InvalidArgumentError } from 'commander';
import { largestQuota, type QuotaName, quotaNames } from '#model';

/** The options that were passed to `quota`, as parsed by commander. */
export type QuotaOptions = Readonly<Partial<Record<string, number | 'default'>>>;

/** The option that sets a quota: `--pending-bytes` for `pending_bytes`. */
export function optionOf(name: QuotaName): string {
  return `--${name.replaceAll('_', '-')}`;
}

/**
 * Parses a quota: a whole number, or `default` for the value from the settings. The result for
 * `default` is not null, because commander would turn null into an empty string.
 */
export function quotaParser(name: QuotaName): (text: string) => number | 'default' {
  const min = name === 'requests_per_minute' ? 1 : 0; // zero would amount to a suspension, which needs a reason
  return (text) => {
    if (text === 'default') return text;
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > largestQuota)
      throw new InvalidArgumentError(`Use a whole number from ${min} to ${largestQuota}, or "default".`);
    return value;
  };
}

/** The quotas among the options. Null means the value from the settings. */
export function quotasOf(options: QuotaOptions): Partial<Record<QuotaName, number | null>> {
  const quotas: Partial<Record<QuotaName, number | null>> = {};
  for (const name of quotaNames) {
    const value = options[name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) quotas[name] = value === 'default' ? null : value;
  }
  return quotas;
}
