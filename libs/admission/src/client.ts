/** The client that waits for the response to a request. */
export interface Client {
  /** Whether it disconnected, or canceled the request, before the response was complete. */
  readonly isGone: boolean;
  /** Calls `listener` once, when that happens. Returns a function that removes it. */
  onGone(listener: () => void): () => void;
}

/** The error of work that was dropped because its client disconnected. Nobody receives it. */
export class ClientGone extends Error {
  constructor() {
    super('the client disconnected before its response was ready');
  }
}
