import { setTimeout as sleep } from 'node:timers/promises';
import { bytesField, joinBytes, seededRandom, stringField, varintField, writeEventFile } from '#testing';
import { Sender } from '../e2e/sender.ts';
import type { Service } from '../e2e/service.ts';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
/**
 * There are more concurrent readers than connections in the processes, so pools open more
 * connections.
 */
export const usualBurst = 24;

/**
 * A continuous mix of everything that clients do: uploads of small and large ranges, reads of
 * points and stored bytes, and sign-ins with a JWT. Every response other than success is a failure,
 * even if a client would retry.
 */
export class RotationLoad {
  readonly failures: string[] = [];
  /** Number of concurrent readers. */
  burst = usualBurst;
  readonly #service: Service;
  readonly #sender: Sender;
  readonly #work: Promise<unknown>;
  #requests = 0;
  #runs = 0;
  #goesOn = true;

  private constructor(service: Service, sender: Sender) {
    this.#service = service;
    this.#sender = sender;
    this.#work = Promise.all([this.#repeat(() => this.#upload()), this.#repeat(() => this.#read()), this.#repeat(() => this.#signIn())]);
  }

  static async start(service: Service): Promise<RotationLoad> {
    return new RotationLoad(service, await Sender.start(service));
  }

  /** Requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Number of uploaded and ingested files. */
  get files(): number {
    return this.#runs;
  }

  /** Ends the load, and waits until all sent data is visible. */
  async stop(): Promise<void> {
    this.#goesOn = false;
    await this.#work;
    await this.#sender.visible();
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (this.#goesOn) {
      await step().catch((error: unknown) => this.failures.push(String(error)));
      await sleep(50);
    }
  }

  /**
   * Uploads a file with a small range, which the database stores, and a large range, which becomes
   * an object.
   */
  async #upload(): Promise<void> {
    const run = `run-${this.#runs}`;
    const bytes = eventFile(this.#runs);
    const { file_id: id } = await this.#sender.announce(run);
    const parts = [
      [0, 1_000],
      [1_000, bytes.length],
    ] as const;
    for (const [from, to] of parts) await this.#note(this.#sender.append(id, from, bytes.subarray(from, to)));
    await this.#sender.complete(id, bytes);
    await this.#sender.visible();
    await this.#note(this.#service.fetch(`/files/${id}/content`)); // reads the object
    this.#runs++;
  }

  async #read(): Promise<void> {
    await Promise.all(Array.from({ length: this.burst }, () => this.#note(this.#service.fetch(`${this.#sender.path}/series`))));
  }

  async #signIn(): Promise<void> {
    const body = new URLSearchParams({
      grant_type: exchange,
      subject_token_type: accessToken,
      subject_token: await this.#service.token(),
    });
    const response = await this.#note(this.#service.fetch('/token', { method: 'POST', body }), true);
    const { access_token: jwt } = (await response.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${jwt}` };
    // Any read process can respond, and it must know the key that another process signed with.
    for (let i = 0; i < 3; i++) await this.#note(this.#service.fetch(this.#sender.path, { headers }));
  }

  async #note(request: Promise<Response>, keepsBody = false): Promise<Response> {
    this.#requests++;
    const response = await request;
    if (!response.ok) this.failures.push(`${response.status} ${response.url} ${await response.text()}`);
    else if (!keepsBody) await response.arrayBuffer();
    return response;
  }
}

/** An event file with an image of random bytes: compressed, it is still too large for a row. */
function eventFile(seed: number): Uint8Array {
  const random = seededRandom(seed + 1);
  const picture = Uint8Array.from({ length: 100_000 }, () => Math.floor(random() * 256));
  const image = joinBytes(
    stringField(1, 'sample'),
    bytesField(4, joinBytes(varintField(1, 1), varintField(2, 1), varintField(3, 3), bytesField(4, picture))),
  );
  const scalars = Array.from({ length: 40 }, (_, step) => ({ step, scalars: { loss: random() } }));
  return writeEventFile([...scalars, { step: 40, values: [image] }]);
}
