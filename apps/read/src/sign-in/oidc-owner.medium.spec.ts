import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '#config';
import { describeWith } from '#testing';
import { Browser } from '../testing/browser.ts';
import { OpenIdProvider } from '../testing/openid-provider.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { SignInSettings } from './sign-in-settings.ts';

const publicUrl = 'http://plots.example';
const callback = `${publicUrl}/sign-in/oidc/callback`;

describeWith(['postgres'], 'the first owner, named by a claim (PLOTLINE_OIDC_OWNER)', () => {
  let provider: OpenIdProvider;
  let service: ReadService;
  let owner: TestTenant;

  beforeAll(async () => {
    provider = await OpenIdProvider.start(callback);
    const config = loadConfig({
      PLOTLINE_OIDC_ISSUER: provider.issuer,
      PLOTLINE_OIDC_CLIENT_ID: OpenIdProvider.clientId,
      PLOTLINE_OIDC_CLIENT_SECRET: OpenIdProvider.clientSecret,
      PLOTLINE_OIDC_OWNER: 'email=boss@example.org',
    });
    service = await startReadService(publicUrl, [], { signIn: new SignInSettings(config.signIn) });
    owner = await service.tenant(); // what `migrate` creates
    await service.tenant('Another'); // a later workspace is nobody's prize
  });
  afterAll(async () => {
    await service?.close();
    await provider?.stop();
  });

  /** Signs in. Returns the person and workspace, or null if the sign-in is rejected. */
  async function enter(login: string): Promise<Loose> {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    const begun = await browser.request('GET', `${publicUrl}/sign-in/oidc`);
    const response = await browser.signInAtProvider(new URL(begun.headers.get('location')!), login, callback);
    const { status } = await browser.request('GET', response);
    if (status !== 200) return null;
    return JSON.parse((await browser.request('GET', `${publicUrl}/api/v1/whoami`)).text);
  }

  it('is the first person with the claim, and an address that is not verified counts for nothing', async () => {
    provider.accounts.set('liar', { name: 'Liar', email: 'boss@example.org', email_verified: false });
    provider.accounts.set('other', { name: 'Other', email: 'other@example.org', email_verified: true });
    expect([await enter('liar'), await enter('other')]).toEqual([null, null]);
    for (const login of ['boss', 'second']) provider.accounts.set(login, { name: login, email: 'boss@example.org', email_verified: true });
    const expected = { person: { id: owner.personId }, workspace: { id: owner.tenantId }, role: 'owner' };
    expect(await enter('boss')).toMatchObject(expected);
    expect(await enter('second')).toBeNull(); // the owner has signed in
    expect(await enter('boss')).toMatchObject(expected);
  });

  it('needs a provider, a claim and a value', () => {
    expect(() => loadConfig({ PLOTLINE_OIDC_OWNER: 'boss@example.org' })).toThrow('PLOTLINE_OIDC_OWNER');
    const alone = loadConfig({ PLOTLINE_OIDC_OWNER: 'groups=admins' });
    expect(() => new SignInSettings(alone.signIn)).toThrow('PLOTLINE_OIDC_ISSUER');
  });
});
