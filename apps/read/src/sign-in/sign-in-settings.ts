import { type Caller, type DeviceLimits, OidcProvider, oidcSettings, type SessionLimits, usualDeviceLimits } from '#auth';
import type { Config } from '#config';
import type { Secret } from '#config/secrets';
import { Problem } from '#model';

/** The ways to sign in. */
export class SignInSettings {
  /** Null: links only. */
  readonly provider: OidcProvider | null;
  /** Whether a new person from the provider gets their own workspace. */
  readonly ownWorkspace: boolean;
  /** Maximum workspaces that a person may create. */
  readonly workspacesPerPerson: number;
  readonly sessions: SessionLimits;
  readonly devices: DeviceLimits;

  /**
   * `clientSecret`: from the configuration, or from the file that it specifies. Throws
   * `ConfigFault` if a provider is only partly configured.
   */
  constructor(
    config: Config['signIn'],
    { devices = usualDeviceLimits, clientSecret }: { devices?: DeviceLimits; clientSecret?: Secret | undefined } = {},
  ) {
    const settings = oidcSettings(config, clientSecret);
    this.provider = settings && new OidcProvider(settings);
    this.ownWorkspace = config.oidcNewPeople === 'workspace';
    this.workspacesPerPerson = config.workspacesPerPerson;
    this.sessions = { lifetimeSeconds: config.sessionHours * 3_600, idleSeconds: config.sessionIdleHours * 3_600 };
    this.devices = devices;
  }

  /**
   * Whether a browser session is confined to its workspace. A token is for one workspace. This also
   * applies to a browser that was signed in with the token, unless tokens are the only way to sign
   * in here.
   */
  isConfined({ via, tokenId }: Caller): boolean {
    return via === 'session' && tokenId !== undefined && this.provider !== null;
  }

  /** Guards actions on the person beyond the workspace of their credential. Throws `forbidden`. */
  requireOwnSignIn(caller: Caller): void {
    if (!this.isConfined(caller)) return;
    throw new Problem(
      'forbidden',
      `You signed in with a link created by an access token, which is valid only for this workspace. Sign in through ${this.provider!.name}.`,
    );
  }
}
