import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { cookieOf, cookiesOf, setCookie } from './cookies.ts';
import { PublicUrl } from './public-url.ts';

const request = (host: string, cookie?: string) => ({ headers: { host, cookie } }) as unknown as IncomingMessage;
const own = { name: 'plotline_x', value: 'secret', maxAgeSeconds: 60, sameSite: 'Lax' } as const;
const behindTls = new PublicUrl('https://plots.example/plotline');
const plain = new PublicUrl('http://plots.example:6100');

describe('our cookies', () => {
  it('behind TLS have a name that only this host can set', () => {
    const set = setCookie(own, behindTls, request('plots.example'));
    expect(set).toBe('__Host-plotline_x=secret; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure');
    expect(cookieOf(request('plots.example', 'a=b; __Host-plotline_x=secret'), 'plotline_x', behindTls)).toBe('secret');
    // Cookies planted by a site in the same domain, or by a man in the middle over plain http.
    for (const planted of [
      'plotline_x=planted',
      '__Secure-plotline_x=planted',
      '__host-plotline_x=planted',
      'plotline_x=planted; plotline_x=b',
    ])
      expect([planted, cookieOf(request('plots.example', planted), 'plotline_x', behindTls)]).toEqual([planted, null]);
    expect(cookieOf(request('plots.example', 'plotline_x=planted; __Host-plotline_x=secret'), 'plotline_x', behindTls)).toBe('secret');
  });

  it('have their plain name over http and on loopback, where browsers reject the other', () => {
    expect(setCookie(own, plain, request('plots.example:6100'))).toBe('plotline_x=secret; Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
    expect(cookieOf(request('plots.example:6100', 'plotline_x=secret'), 'plotline_x', plain)).toBe('secret');
    expect(setCookie(own, behindTls, request('127.0.0.1:6100'))).toMatch(/^plotline_x=secret; Path=\/;/);
    expect(cookieOf(request('127.0.0.1:6100', '__Host-plotline_x=a; plotline_x=b'), 'plotline_x', behindTls)).toBe('b');
  });

  it('are found by the start of their name, with the prefix that is valid for the host', () => {
    const cookies = 'plotline_r_1=planted; __Host-plotline_r_2=a; x=y; __Host-plotline_r_=b;__Host-plotline_r_1=c; plotline_r_3';
    const found = (host: string) =>
      cookiesOf(request(host, cookies), 'plotline_r_', behindTls).map(({ name, value }) => `${name}=${value}`);
    expect(found('plots.example')).toEqual(['plotline_r_2=a', 'plotline_r_=b', 'plotline_r_1=c']);
    expect(found('127.0.0.1:6100')).toEqual(['plotline_r_1=planted']);
    expect(cookiesOf(request('plots.example'), 'plotline_r_', behindTls)).toEqual([]);
  });

  it.each(['', 'plotline_x', '=secret', 'xplotline_x=a', 'plotline_x2=a'])('are not found in %j', (cookie) => {
    expect(cookieOf(request('plots.example', cookie), 'plotline_x', plain)).toBeNull();
  });
});
