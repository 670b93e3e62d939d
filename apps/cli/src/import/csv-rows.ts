/**
 * The records of a CSV file (RFC 4180): quoted cells can contain commas, quotes and line breaks.
 * Reads text in pieces of any size. Throws if a quoted cell does not end, or is longer than any
 * valid name.
 */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  const maxCell = 1024 * 1024;
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  /** After a quote within a quoted cell: the next character decides its meaning. */
  let closing = false;
  /** After a carriage return. */
  let returned = false;
  let started = false;
  let line = 1;
  /** Where the quoted cell begins. */
  let quoteLine = 1;
  for await (const piece of pieces) {
    let text = piece;
    if (!started) text = piece.replace(/^\uFEFF/, '');
    started = true;
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!;
      if (returned) {
        returned = false;
        if (character === '\n') continue;
      }
      if (closing) {
        closing = false;
        if (character === '"') {
          cell += '"';
          continue;
        }
        quoted = false;
      }
      if (quoted) {
        const end = text.indexOf('"', at);
        const part = text.slice(at, end < 0 ? text.length : end);
        cell += part;
        for (let feed = part.indexOf('\n'); feed >= 0; feed = part.indexOf('\n', feed + 1)) line++;
        if (cell.length > maxCell)
          throw new Error(`the quoted cell that starts on line ${quoteLine} is longer than ${maxCell} characters. Is a quote missing?`);
        if (end < 0) break;
        at = end;
        closing = true;
      } else if (character === ',') {
        row.push(cell);
        cell = '';
      } else if (character === '\n' || character === '\r') {
        returned = character === '\r';
        line++;
        if (row.length > 0 || cell !== '') yield [...row, cell];
        row = [];
        cell = '';
      } else if (character === '"' && cell === '') {
        quoted = true;
        quoteLine = line;
      } else {
        let end = at + 1;
        while (end < text.length && !',\n\r'.includes(text[end]!)) end++;
        cell += text.slice(at, end);
        at = end - 1;
      }
    }
  }
  if (quoted && !closing) throw new Error(`the quoted cell that starts on line ${quoteLine} has no closing quote.`);
  if (row.length > 0 || cell !== '') yield [...row, cell];
}
