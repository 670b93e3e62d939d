import type { Config } from '#config';

/** When a program prints a sign-in link: `PLOTLINE_PRINT_SIGN_IN_LINK`. */
export type PrintSignInLink = Config['signIn']['printLink'];

/** Where the link would be printed. */
interface Output {
  /** As in `process.stdout`; absent for a file or a pipe. */
  readonly isTTY?: boolean;
}

/**
 * Returns the lines about signing in that a program prints after its start. A sign-in link is a
 * credential, and without a terminal, a service's output goes to logs. So the link is created only
 * for a terminal, or if the setting is `always`. `otherwise` explains how else to get a link.
 */
export async function signInNotice(
  print: PrintSignInLink,
  output: Output,
  { create, otherwise }: { readonly create: () => Promise<string>; readonly otherwise: string },
): Promise<string> {
  if (print === 'always' || (print === 'terminal' && output.isTTY === true)) return `Sign in (once, within an hour): ${await create()}`;
  return `To sign in, ${otherwise}`;
}
