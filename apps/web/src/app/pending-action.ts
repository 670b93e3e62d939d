/** An action that the next page performs when it opens; null for none. */
let pending: { readonly experiment: string; readonly action: 'share' } | null = null;

/** Opens the sharing dialog of an experiment once its page is shown. */
export function shareOnArrival(experiment: string): void {
  pending = { experiment, action: 'share' };
}

/** The action that the page of this experiment performs when it opens. */
export function pendingAction(experiment: string): 'share' | null {
  return pending?.experiment === experiment ? pending.action : null;
}

/** Clears the action: it was performed, or another page was opened. */
export function forgetPendingAction(): void {
  pending = null;
}
