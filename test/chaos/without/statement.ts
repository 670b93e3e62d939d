import pg from 'pg';

type Send = (this: pg.Client, ...args: unknown[]) => unknown;

/**
 * From now on the statement of this name is sent with `phrase` replaced. Fails the statement if it
 * lacks the phrase: a control that removes nothing would prove nothing. Returns what undoes it.
 */
export function changeStatement(name: string, phrase: string | RegExp, replacement: string): () => void {
  const send = pg.Client.prototype.query as unknown as Send;
  const isNamed = new RegExp(`/\\* (?:prepared: )?${name} \\*/`);
  const changed = (text: string): string => {
    if (!isNamed.test(text)) return text;
    const other = text.replace(phrase, replacement);
    if (other === text) throw new Error(`${name} has no ${String(phrase)} any more:\n${text}`);
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
