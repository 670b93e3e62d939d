import type { Commands } from './commands.ts';

/** Adds verbs for the caller: sign-in, and the token's workspace. */
export function addSignIn(commands: Commands): void {
  commands
    .verb('login', 'sign in to a server through a browser on any machine', async () => (await import('../verbs/login.ts')).login)
    .option('--server <url>', 'server to sign in to')
    .option('--token', 'read a token from stdin, a prompt or PLOTLINE_TOKEN instead of using a browser');
  commands
    .verb('logout', 'revoke and remove the stored token for a server', async () => (await import('../verbs/login.ts')).logout)
    .option('--server <url>', 'server to sign out of');
  commands
    .verb('login-link', 'create a single-use link that signs a browser in', async () => (await import('../verbs/login-link.ts')).loginLink)
    .option('--next <path>', 'page of the service to open after sign-in');
  commands.verb('whoami', 'show who the token belongs to', async () => (await import('../verbs/whoami.ts')).whoami);

  commands.verb('usage', "show the workspace's usage and quotas", async () => (await import('../verbs/usage.ts')).usage);
}
