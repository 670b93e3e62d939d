import pg from 'pg';

type Send = (this: pg.Client, ...args: unknown[]) => unknown;

/**
 * Replaces `phrase` in the statement of this name from now on. Fails if the statement lacks the
 * phrase: unless the safeguard is removed, the control proves nothing. Returns a function that
 * undoes it.
 */
export function changeStatement(name: string, phrase: string | RegExp, replacement: string): () => void {
  const send = pg.Client.prototype.query as unknown as Send;
  const isNamed = new RegExp(`/\\* (?:prepared: )?${name} \\*/`);
  const changed = (text: string): string => {
    if (!isNamed.test(text)) return text;
    const other = text.replace(phrase, replacement);
    if (other === text) throw new Error(`${name} no longer contains ${String(phrase)}:\n${text}`);
    return other;
  };
  const query: Send = function (first, ...rest) {
    if (typeof first === 'string') return send.call(this, changed(first), ...rest);
    if (typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string')
      return send.call(this, Object.assign(first, { text: changed(first.text) }), ...rest);
    return send.call(this, first, ...rest);
  };
  pg.Client.prototype.query = query as unknown as typeof pg.Client.prototype.query;
  return () => {
    pg.Client.prototype.query = send as unknown as typeof pg.Client.prototype.query;
  };
}
