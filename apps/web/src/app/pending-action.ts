/** An action that the next page takes when it opens; null: none. */
let pending: { readonly experiment: string; readonly action: 'share' } | null = null;

/** Opens the sharing dialog of an experiment once its page is there. */
export function shareOnArrival(experiment: string): void {
  pending = { experiment, action: 'share' };
}

/** The action that the page of this experiment opens with. */
export function pendingAction(experiment: string): 'share' | null {
  return pending?.experiment === experiment ? pending.action : null;
}

/** The action is taken, or another page was opened. */
export function forgetPendingAction(): void {
  pending = null;
}
