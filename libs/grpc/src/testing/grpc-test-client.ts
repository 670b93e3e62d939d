import * as grpc from '@grpc/grpc-js';
import { methods, type MethodShape } from '../codec.ts';

/** Calls methods of libs/protocols like a stock client, unencrypted on this machine. */
export class GrpcTestClient {
  readonly #client: grpc.Client;
  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` are sent with every call, e.g. `{ authorization: 'Bearer plt_…' }`. */
  constructor(port: number, headers: Readonly<Record<string, string>> = {}, credentials = grpc.credentials.createInsecure()) {
    this.#client = new grpc.Client(`127.0.0.1:${port}`, credentials);
    this.#headers = headers;
  }

  /**
   * The response of a unary method. Rejects with grpc-js' `ServiceError`: `code`, `details`,
   * `metadata`.
   */
  call<Answer>(path: string, message: object): Promise<Answer> {
    return this.start<Answer>(path, message).answer;
  }

  /** Like `call`, but can be canceled. */
  start<Answer>(path: string, message: object): { readonly answer: Promise<Answer>; cancel(): void } {
    const { request, response } = shapeOf(path);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const encode = (sent: object): Buffer => request.encode(sent);
    const call = this.#client.makeUnaryRequest(
      path,
      encode,
      (bytes: Buffer) => response.decode(bytes),
      message,
      this.#metadata(),
      (error, answer) => (error ? reject(error) : resolve(answer as Answer)),
    );
    return { answer: promise, cancel: () => call.cancel() };
  }

  /** All responses of a streaming method. */
  async stream<Answer>(path: string, message: object): Promise<Answer[]> {
    return (await this.open(path, message).toArray()) as Answer[];
  }

  /** Like `stream`, but yields responses on demand. */
  open<Answer>(path: string, message: object): grpc.ClientReadableStream<Answer> {
    const { request, response } = shapeOf(path);
    const encode = (sent: object): Buffer => request.encode(sent);
    return this.#client.makeServerStreamRequest(
      path,
      encode,
      (bytes: Buffer) => response.decode(bytes) as Answer,
      message,
      this.#metadata(),
    );
  }

  /** Sends a stream of messages and returns all responses. */
  async exchange<Answer>(path: string, messages: Iterable<object> | AsyncIterable<object>): Promise<Answer[]> {
    const { request, response } = shapeOf(path);
    const encode = (sent: object): Buffer => request.encode(sent);
    const call = this.#client.makeBidiStreamRequest(path, encode, (bytes: Buffer) => response.decode(bytes), this.#metadata());
    const answers = call.toArray() as Promise<Answer[]>;
    answers.catch(() => undefined);
    for await (const message of messages) {
      if (call.destroyed) break;
      if (!call.write(message)) await new Promise<void>((resolve) => void call.once('drain', resolve).once('close', resolve));
    }
    call.end();
    return answers;
  }

  close(): void {
    this.#client.close();
  }

  #metadata(): grpc.Metadata {
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(this.#headers)) metadata.set(name, value);
    return metadata;
  }
}

function shapeOf(path: string): MethodShape {
  const method = methods.find((candidate) => candidate.path === path);
  if (!method) throw new Error(`libs/protocols has no ${path}`);
  return method;
}
