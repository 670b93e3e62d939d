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
  call<ResponseMessage>(path: string, message: object): Promise<ResponseMessage> {
    return this.start<ResponseMessage>(path, message).response;
  }

  /** Like `call`, but can be canceled. */
  start<ResponseMessage>(path: string, message: object): { readonly response: Promise<ResponseMessage>; cancel(): void } {
    const { request, response } = shapeOf(path);
    const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
    const encode = (sent: object): Buffer => request.encode(sent);
    const call = this.#client.makeUnaryRequest(
      path,
      encode,
      (bytes: Buffer) => response.decode(bytes),
      message,
      this.#metadata(),
      (error, received) => (error ? reject(error) : resolve(received as ResponseMessage)),
    );
    return { response: promise, cancel: () => call.cancel() };
  }

  /** All responses of a streaming method. */
  async stream<ResponseMessage>(path: string, message: object): Promise<ResponseMessage[]> {
    return (await this.open(path, message).toArray()) as ResponseMessage[];
  }

  /** Like `stream`, but yields responses on demand. */
  open<ResponseMessage>(path: string, message: object): grpc.ClientReadableStream<ResponseMessage> {
    const { request, response } = shapeOf(path);
    const encode = (sent: object): Buffer => request.encode(sent);
    return this.#client.makeServerStreamRequest(
      path,
      encode,
      (bytes: Buffer) => response.decode(bytes) as ResponseMessage,
      message,
      this.#metadata(),
    );
  }

  /** Sends a stream of messages and returns all responses. */
  async exchange<ResponseMessage>(path: string, messages: Iterable<object> | AsyncIterable<object>): Promise<ResponseMessage[]> {
    const { request, response } = shapeOf(path);
    const encode = (sent: object): Buffer => request.encode(sent);
    const call = this.#client.makeBidiStreamRequest(path, encode, (bytes: Buffer) => response.decode(bytes), this.#metadata());
    const responses = call.toArray() as Promise<ResponseMessage[]>;
    responses.catch(() => undefined);
    for await (const message of messages) {
      if (call.destroyed) break;
      if (!call.write(message)) await new Promise<void>((resolve) => void call.once('drain', resolve).once('close', resolve));
    }
    call.end();
    return responses;
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
