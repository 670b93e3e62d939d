/**
 * The result of reading a response. `error` is the reason if the response ended early, or null if
 * it was complete.
 */
interface ReadResponse<Piece> {
  readonly pieces: readonly Piece[];
  readonly error: unknown;
}

/**
 * Reads the first piece of a response, pauses until `between` is done (so that the sender has to
 * wait), and then reads the rest.
 */
export async function readAround<Piece>(response: AsyncIterable<Piece>, between: () => Promise<unknown>): Promise<ReadResponse<Piece>> {
  const pieces: Piece[] = [];
  try {
    for await (const piece of response) {
      pieces.push(piece);
      if (pieces.length === 1) await between();
    }
    return { pieces, error: null };
  } catch (error) {
    return { pieces, error };
  }
}
