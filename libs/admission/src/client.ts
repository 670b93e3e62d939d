/** The client that waits for the response to a request. */
export interface Client {
  /** Whether the client disconnected or canceled the request before the response was complete. */
  readonly isGone: boolean;
  /**
   * Calls `listener` once, when the client disconnects or cancels the request. Returns a function
   * that removes the listener.
   */
  onGone(listener: () => void): () => void;
}

/** The error for work that was dropped because its client disconnected. Nobody receives it. */
export class ClientGone extends Error {
  constructor() {
    super('the client disconnected before its response was ready');
  }
}
