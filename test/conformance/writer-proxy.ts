import { createServer } from 'node:http';
import * as grpc from '@grpc/grpc-js';
import { bytesField, stringField } from '#testing';

const service = '/tensorboard.service.TensorBoardWriterService/';
const unaryMethods = [
  'CreateExperiment',
  'UpdateExperiment',
  'DeleteExperiment',
  'WriteScalar',
  'WriteTensor',
  'GetOrCreateBlobSequence',
  'GetBlobMetadata',
];

/** Hooks between the stock uploader and the service. Messages are bytes. */
export interface Hooks {
  /**
   * A unary call: `send` forwards it, to the usual target or to the given target. If the hook
   * rejects, the client gets the error as its status.
   */
  unary?(rpc: string, request: Buffer, send: (target?: string) => Promise<Buffer>): Promise<Buffer>;
  /** A blob with all its messages. */
  blob?(messages: readonly Buffer[], send: (messages: readonly Buffer[], target?: string) => Promise<void>): Promise<void>;
}

/**
 * A proxy in which tests can observe, repeat and drop calls. The handshake directs the stock client
 * to it.
 */
export class WriterProxy {
  readonly #server: grpc.Server;
  readonly #http: ReturnType<typeof createServer>;
  readonly #target: string;
  readonly #clients = new Map<string, grpc.Client>();
  hooks: Hooks = {};
  #origin = '';

  private constructor(target: string) {
    this.#target = target;
    this.#server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
    this.#http = createServer();
  }

  /** The service's `origin`, with gRPC at `target`. */
  static async start(origin: string, target: string): Promise<WriterProxy> {
    const proxy = new WriterProxy(target);
    const definition: Record<string, grpc.MethodDefinition<Buffer, Buffer>> = {};
    const handlers: Record<string, grpc.UntypedHandleCall> = {};
    for (const rpc of unaryMethods) {
      definition[rpc] = methodOf(rpc, false);
      handlers[rpc] = ((call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
        const send = (to?: string) => proxy.#unary(rpc, call.request, call.metadata, to);
        (proxy.hooks.unary?.(rpc, call.request, send) ?? send()).then(
          (response) => done(null, response),
          (error: grpc.ServiceError) => done({ code: error.code ?? grpc.status.UNAVAILABLE, details: error.details ?? String(error) }),
        );
      }) as grpc.UntypedHandleCall;
    }
    definition.WriteBlob = methodOf('WriteBlob', true);
    handlers.WriteBlob = ((call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
      const messages: Buffer[] = [];
      call.on('data', (message: Buffer) => messages.push(message));
      call.on('error', () => undefined);
      call.on('end', () => {
        const send = (again: readonly Buffer[], to?: string) => proxy.#blob(again, call.metadata, to);
        (proxy.hooks.blob?.(messages, send) ?? send(messages)).then(
          () => call.end(),
          (error: grpc.ServiceError) =>
            call.emit('error', { code: error.code ?? grpc.status.UNAVAILABLE, details: error.details ?? String(error) }),
        );
      });
    }) as grpc.UntypedHandleCall;
    proxy.#server.addService(definition, handlers);
    const port = await new Promise<number>((resolve, reject) => {
      proxy.#server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    // Protobuf merges a message field that occurs twice: the last endpoint wins.
    // ServerInfoResponse{2 api_server{1 endpoint}}
    const endpoint = bytesField(2, stringField(1, `dns:///127.0.0.1:${port}`));
    proxy.#http.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        fetch(`${origin}${request.url}`, { method: 'POST', body: Buffer.concat(parts) }).then(
          async (result) => response.writeHead(result.status).end(Buffer.concat([await result.bytes(), endpoint])),
          () => response.writeHead(502).end(),
        );
      });
    });
    await new Promise<void>((resolve) => proxy.#http.listen(0, '127.0.0.1', resolve));
    proxy.#origin = `http://127.0.0.1:${(proxy.#http.address() as { port: number }).port}`;
    return proxy;
  }

  /** URL of the handshake. */
  get origin(): string {
    return this.#origin;
  }

  async stop(): Promise<void> {
    this.#server.forceShutdown();
    for (const client of this.#clients.values()) client.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #clientOf(target: string): grpc.Client {
    const client = this.#clients.get(target) ?? new grpc.Client(target, grpc.credentials.createInsecure());
    this.#clients.set(target, client);
    return client;
  }

  #unary(rpc: string, request: Buffer, metadata: grpc.Metadata, to = this.#target): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#clientOf(to).makeUnaryRequest(pathOf(rpc), same, same, request, metadata, (error, response) =>
        error ? reject(error) : resolve(response!),
      );
    });
  }

  #blob(messages: readonly Buffer[], metadata: grpc.Metadata, to = this.#target): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = this.#clientOf(to).makeBidiStreamRequest(pathOf('WriteBlob'), same, same, metadata);
      call.on('data', () => undefined);
      call.on('error', reject);
      call.on('end', resolve);
      for (const message of messages) call.write(message);
      call.end();
    });
  }
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function pathOf(rpc: string): string {
  return service + rpc;
}

function methodOf(rpc: string, streamed: boolean): grpc.MethodDefinition<Buffer, Buffer> {
  return {
    path: pathOf(rpc),
    requestStream: streamed,
    responseStream: streamed,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}
