import { AccessJwtIssuer, createSignInLink, createToken, createTokenWithId, type Owner, SigningKeys } from '#auth';
import { signedAt } from '#blobs/testing';
import type { TenantId } from '#model';
import { DatabaseClock, Store } from '#store';
import { bytesField, joinBytes, stringField, varintField, writeEventFile } from '#testing';
import { AckLog } from '../ack-log.ts';
import { appendHeaders, ChaosClient, type SentFile } from '../client.ts';
import { administer } from '../faults.ts';
import type { Stack } from '../stack.ts';
import { within } from '../workload.ts';
import type { Report } from './report.ts';

/** Maximum leeway for a JWT's times. */
const leewaySeconds = 60;
/** Maximum clock skew of S3 signatures. */
const maxSkewMs = 15 * 60_000;
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/**
 * Tokens, JWTs, sign-in links and signed image URLs expire by the database clock, regardless of the
 * processes' clocks. `what`: the component with the wrong clock.
 */
export async function checkTimes(stack: Stack, report: Report, what: string): Promise<void> {
  const { PLOTLINE_APP_DATABASE_URL: appUrl, PLOTLINE_SECRET_KEY: secret } = stack.of('read')[0]!.spec.env(0);
  const [owner] = await administer<{ tenant_id: TenantId; person_id: string }>(
    stack,
    'select tenant_id, person_id from workspace_member limit 1',
  );
  const store = new Store({ appUrl: appUrl! });
  try {
    await new Judge({
      stack,
      report,
      what,
      store,
      secret: secret!,
      owner: { tenantId: owner!.tenant_id, personId: owner!.person_id },
    }).judge();
  } finally {
    await store.close();
  }
}

interface Case {
  readonly stack: Stack;
  readonly report: Report;
  readonly what: string;
  readonly store: Store;
  readonly secret: string;
  readonly owner: Owner;
}

class Judge {
  readonly #case: Case;
  readonly #log = new AckLog();
  readonly #found: string[] = [];

  constructor(about: Case) {
    this.#case = about;
  }

  async judge(): Promise<void> {
    const { stack, report, what, owner, store } = this.#case;
    const bytes = Buffer.from(writeEventFile([{ step: 1, more: imageSummary() }]));
    const file = await this.#as(stack.token, async (client) => {
      const plan = { seed: 0, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events: 1, tags: [] };
      return client.announce(await client.createExperiment(`clocks: ${what}`), plan, bytes);
    });
    const hour = 3_600_000;
    const tokenFor = (hours: number): Promise<string> =>
      createToken(store, { ...owner, name: 'clock', expiresAt: new Date(Date.now() + hours * hour) });
    const made = await this.#ownJwts();
    const over = { 'token over': await tokenFor(-1), 'JWT over': made.over };
    for (const [name, token] of Object.entries(over)) {
      this.#must(name, await this.#get(token), [401]);
      this.#must(`append with ${name}`, await this.#append(token, file, bytes), [401]);
    }
    const exchanged = await this.#newJwt();
    for (const [name, token] of Object.entries({ token: await tokenFor(1), JWT: exchanged, 'JWT of ours': made.fresh }))
      this.#must(name, await this.#get(token), [200]);
    this.#must('append with JWT', await this.#append(exchanged, file, bytes), [204]);
    const link = await fetch(`${stack.url}/sign-in/${await createSignInLink(store, owner)}`, { redirect: 'manual' });
    this.#must('sign-in link', link.status, [303]);
    await this.#judgePicture(file, bytes);
    report.figure(`${what}: ${this.#found.join(', ')}`);
  }

  /** The store accepts the URL that the read process signed. */
  async #judgePicture(file: SentFile, bytes: Buffer): Promise<void> {
    const { stack, report, what } = this.#case;
    let address: string | undefined;
    await this.#as(stack.token, async (client) => {
      await client.complete(file, bytes);
      type BlobsResponse = { series: { points: { blobs: { url: string }[] }[] }[] };
      // The bytes after the width and height of the image.
      await within(15_000, async () => {
        const response = await client.json<BlobsResponse>('POST', `/experiments/${file.experimentId}/blob-sequences/query`, {});
        return (address = response.series[0]?.points[0]?.blobs.at(-1)?.url) !== undefined;
      });
    });
    if (address === undefined || !URL.canParse(address))
      return report.must(false, `${what}: the image has no URL in the store: ${address}`);
    const response = await fetch(address);
    this.#must('picture in the store', response.status, [200]);
    report.must(png.equals(await response.bytes()), `${what}: the URL of an image returns other bytes`);
    // This store accepts signatures from the future, unlike S3, so the test checks the time itself.
    const time = signedAt(address);
    report.must(Math.abs(time - Date.now()) < maxSkewMs, `${what}: the URL of an image is signed for ${time} ms since 1970`);
  }

  #must(name: string, status: number | null, wanted: readonly number[]): void {
    this.#found.push(`${name} → ${status}`);
    this.#case.report.must(wanted.includes(status ?? 0), `${this.#case.what}: ${name} → ${status} instead of ${wanted.join(' or ')}`);
  }

  /** Exchanges the token with the read process. */
  async #newJwt(): Promise<string> {
    const { stack } = this.#case;
    const response = await fetch(`${stack.url}/api/v1/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: stack.token,
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /**
   * The test signs a JWT with the service's key for a valid token, so only the times of the JWT
   * matter.
   */
  async #ownJwts(): Promise<{ fresh: string; over: string }> {
    const { stack, store, owner, secret } = this.#case;
    const { tokenId } = await createTokenWithId(store, { ...owner, name: 'of an old JWT' });
    const keys = new SigningKeys(store, secret);
    const issue = (clock: DatabaseClock): Promise<{ token: string; seconds: number }> =>
      new AccessJwtIssuer(stack.url, keys, clock).sign({ ...owner, grant: { kind: 'token', id: tokenId }, scopes: ['read', 'upload'] });
    const { token: fresh, seconds } = await issue(store.clock);
    const earlier = new DatabaseClock(async () => (await store.clock.now()) - (seconds + leewaySeconds + 1) * 1_000);
    return { fresh, over: (await issue(earlier)).token };
  }

  #get(token: string): Promise<number | null> {
    return this.#as(token, async (client) => (await client.send('GET', '/experiments')).status);
  }

  #append(token: string, { fileId }: SentFile, bytes: Buffer): Promise<number | null> {
    return this.#as(token, async (client) => (await client.send('PATCH', `/files/${fileId}`, appendHeaders(0, bytes), bytes)).status);
  }

  async #as<T>(token: string, work: (client: ChaosClient) => Promise<T>): Promise<T> {
    const client = new ChaosClient({ url: this.#case.stack.url, token, log: this.#log, random: Math.random });
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }
}

/**
 * Event: summary = 5 {value = 1 {tag = 1, image = 4 {height = 1, width = 2, colorspace = 3,
 * encoded_image_string = 4}}}.
 */
function imageSummary(): Uint8Array {
  const image = joinBytes(varintField(1, 1), varintField(2, 1), varintField(3, 4), bytesField(4, png));
  return bytesField(5, bytesField(1, joinBytes(stringField(1, 'picture'), bytesField(4, image))));
}
