import { describe, expect, it } from 'vitest';
import { signInNotice } from './sign-in-notice.ts';

describe('the sign-in notice', () => {
  const notice = async (print: 'terminal' | 'always' | 'never', isTTY?: boolean) => {
    let created = 0;
    const create = async () => {
      created++;
      return 'http://plots.example/sign-in/secret';
    };
    const text = await signInNotice(print, { ...(isTTY !== undefined && { isTTY }) }, { create, otherwise: 'run this.' });
    return { text, created };
  };
  const link = { text: 'Sign in (once, within an hour): http://plots.example/sign-in/secret', created: 1 };
  const none = { text: 'To sign in, run this.', created: 0 };

  it('has a link only at a terminal by default', async () => {
    expect(await notice('terminal', true)).toEqual(link);
    expect(await notice('terminal', false)).toEqual(none);
    expect(await notice('terminal')).toEqual(none); // a pipe: process.stdout has no isTTY
  });

  it('has a link everywhere or nowhere, as configured', async () => {
    expect(await notice('always')).toEqual(link);
    expect(await notice('never', true)).toEqual(none);
  });
});
