/** An action to perform when the next page opens. Null if there is none. */
let pending: { readonly experiment: string; readonly action: 'share' } | null = null;

/** Opens an experiment's sharing dialog once the experiment's page is shown. */
export function shareOnArrival(experiment: string): void {
  pending = { experiment, action: 'share' };
}

/** The action to perform when this experiment's page opens. */
export function pendingAction(experiment: string): 'share' | null {
  return pending?.experiment === experiment ? pending.action : null;
}

/** Clears the action, because it was performed or another page was opened. */
export function forgetPendingAction(): void {
  pending = null;
}
