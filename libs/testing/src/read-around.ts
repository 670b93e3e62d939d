/** What came of an answer; `error`: what it broke off with, null where it came to its end. */
interface ReadAnswer<Piece> {
  readonly pieces: readonly Piece[];
  readonly error: unknown;
}

/** Takes the first piece of an answer, then nothing until `between` is done, so that whoever sends it has to wait, then the rest. */
export async function readAround<Piece>(answer: AsyncIterable<Piece>, between: () => Promise<unknown>): Promise<ReadAnswer<Piece>> {
  const pieces: Piece[] = [];
  try {
    for await (const piece of answer) {
      pieces.push(piece);
      if (pieces.length === 1) await between();
    }
    return { pieces, error: null };
  } catch (error) {
    return { pieces, error };
  }
}
