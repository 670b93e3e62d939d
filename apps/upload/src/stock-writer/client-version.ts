/**
 * Whether a client works with this service: the `CompatibilityVerdict`, and the message for the
 * client's user.
 */
export interface Verdict {
  readonly verdict: 1 | 2 | 3;
  readonly details: string;
}

export const verdicts = { ok: 1, warn: 2, error: 3 } as const;

/** The first release that uploads data. */
const oldest = [2, 0] as const;
/**
 * The first release that sends everything, including histograms, hyperparameters and texts as
 * tensors.
 */
const complete = [2, 5] as const;
/**
 * From this release on, `tensorboard dev upload` only prints a farewell, so clients of this release
 * and later are not stock clients.
 */
const newestSeen = [2, 15] as const;

/** The response to a TensorBoard client of this version. */
export function verdictOn(version: string): Verdict {
  const match = /^(\d{1,4})\.(\d{1,4})(?:[.a-z]|$)/.exec(version);
  if (!match)
    return {
      verdict: verdicts.warn,
      details: 'Plotline does not know this version of the uploader. TensorBoard 2.15.0 is the last tested version.',
    };
  const own = [Number(match[1]), Number(match[2])] as const;
  if (isBefore(own, oldest))
    return {
      verdict: verdicts.error,
      details: `TensorBoard ${own.join('.')} is too old to upload. Install tensorboard==2.15.0, or use \`plotline upload\`.`,
    };
  if (isBefore(own, complete))
    return {
      verdict: verdicts.warn,
      details: `TensorBoard ${own.join('.')} does not send texts, hyperparameters or images. TensorBoard 2.15.0 does, and \`plotline upload\` sends everything.`,
    };
  if (isBefore(newestSeen, own))
    return { verdict: verdicts.warn, details: 'TensorBoard 2.15.0 is the last version tested with this service.' };
  return { verdict: verdicts.ok, details: '' };
}

function isBefore([major, minor]: readonly [number, number], [otherMajor, otherMinor]: readonly [number, number]): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
