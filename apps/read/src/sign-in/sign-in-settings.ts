import { type Caller, type DeviceLimits, OidcProvider, oidcSettings, type SessionLimits, usualDeviceLimits } from '#auth';
import type { Config } from '#config';
import { Problem } from '#model';

/** How people sign in here. */
export class SignInSettings {
  /** Null: by links only. */
  readonly provider: OidcProvider | null;
  /** Whether somebody new whom the provider knows gets a workspace of their own. */
  readonly ownWorkspace: boolean;
  /** How many somebody may make; 0: nobody makes any. */
  readonly workspacesPerPerson: number;
  readonly sessions: SessionLimits;
  readonly devices: DeviceLimits;

  /** Throws `ConfigFault` when half of a provider is set. */
  constructor(config: Config['signIn'], { devices = usualDeviceLimits }: { devices?: DeviceLimits } = {}) {
    const settings = oidcSettings(config);
    this.provider = settings && new OidcProvider(settings);
    this.ownWorkspace = config.oidcNewPeople === 'workspace';
    this.workspacesPerPerson = config.workspacesPerPerson;
    this.sessions = { lifetimeSeconds: config.sessionHours * 3_600, idleSeconds: config.sessionIdleHours * 3_600 };
    this.devices = devices;
  }

  /** Whether a browser stays in its workspace. A token is for one workspace, and so is a browser that it signed in, unless people have no other way in here. */
  isConfined({ via, tokenId }: Caller): boolean {
    return via === 'session' && tokenId !== undefined && this.provider !== null;
  }

  /** For what is a person's own, beyond the workspace of their credential. Throws `forbidden`. */
  requireOwnSignIn(caller: Caller): void {
    if (!this.isConfined(caller)) return;
    throw new Problem(
      'forbidden',
      `You signed in with a link created by an access token, which is valid only for this workspace. Sign in through ${this.provider!.name}.`,
    );
  }
}
