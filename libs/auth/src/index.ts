export { Authenticator } from './authenticator.ts';
export { randomBase62 } from './base62.ts';
export type { Caller } from './caller.ts';
export { findOwner, firstStart, type Owner } from './first-start.ts';
export { type BrowserSession, createSignInLink, signIn } from './sign-in.ts';
export { looksLikeToken } from './token.ts';
export { createToken } from './tokens.ts';
