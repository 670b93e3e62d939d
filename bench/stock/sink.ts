import { createServer } from 'node:http';
import { Server, ServerCredentials, type ServerDuplexStream, type sendUnaryData, type ServerUnaryCall, type ServiceDefinition } from '@grpc/grpc-js';
import { bytesField, joinBytes, stringField, varintField } from '#testing';

/** What a client sent, as bytes of its messages. */
interface Received {
  /** By name of the rpc. */
  readonly calls: Map<string, number>;
  readonly messages: Map<string, number>;
  bytes: number;
}

/** A server that answers the stock uploader and keeps nothing: how fast the client is by itself. */
export interface Sink {
  readonly origin: string;
  readonly received: Received;
  stop(): Promise<void>;
}

const service = '/tensorboard.service.TensorBoardWriterService/';
const same = (bytes: Buffer): Buffer => bytes;

/**
 * Starts the sink on two ports of the loopback address. `limits`: the message UploadLimits, as the server that it stands in for gives it; `plugins`: what
 * may be uploaded. `hear` is told each request as it came.
 */
export async function startSink(
  { limits, plugins }: { readonly limits: Uint8Array; readonly plugins: readonly string[] },
  hear: (rpc: string, message: Buffer) => void = () => undefined,
): Promise<Sink> {
  const received: Received = { calls: new Map(), messages: new Map(), bytes: 0 };
  const count = (counts: Map<string, number>, rpc: string): void => void counts.set(rpc, (counts.get(rpc) ?? 0) + 1);
  const take = (rpc: string, message: Buffer): void => {
    count(received.messages, rpc);
    received.bytes += message.length;
    hear(rpc, message);
  };
  let sequences = 0;
  const answers: Readonly<Record<string, () => Uint8Array>> = {
    CreateExperiment: () => stringField(1, 'sinksinksinksinksinksi'),
    WriteScalar: () => new Uint8Array(),
    WriteTensor: () => new Uint8Array(),
    GetOrCreateBlobSequence: () => stringField(1, `sequence${sequences++}`),
  };
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: Record<string, (...args: never[]) => void> = {};
  for (const rpc of [...Object.keys(answers), 'WriteBlob']) {
    const streamed = rpc === 'WriteBlob';
    definition[rpc] = {
      path: service + rpc,
      requestStream: streamed,
      responseStream: streamed,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    handlers[rpc] = streamed
      ? (call: ServerDuplexStream<Buffer, Buffer>) => {
          count(received.calls, rpc);
          call.on('data', (message: Buffer) => take(rpc, message));
          call.on('end', () => call.end());
        }
      : (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
          count(received.calls, rpc);
          take(rpc, call.request);
          done(null, Buffer.from(answers[rpc]!()));
        };
  }
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  server.addService(definition, handlers as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  const handshake = createServer((request, response) => {
    request.resume().on('end', () => response.end(serverInfo(port, limits, plugins)));
  });
  await new Promise<void>((resolve) => handshake.listen(0, '127.0.0.1', resolve));
  const { port: httpPort } = handshake.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${httpPort}`,
    received,
    stop: async () => {
      server.forceShutdown();
      handshake.closeAllConnections();
      await new Promise((resolve) => handshake.close(resolve));
    },
  };
}

/** ServerInfoResponse{1 compatibility{1 verdict}; 2 api_server{1 endpoint}; 3 url_format{1 template; 2 id_placeholder}; 4 plugin_control{1 allowed_plugins}; 5 upload_limits}. */
function serverInfo(port: number, limits: Uint8Array, plugins: readonly string[]): Uint8Array {
  return joinBytes(
    bytesField(1, varintField(1, 1)),
    bytesField(2, stringField(1, `dns:///127.0.0.1:${port}`)),
    bytesField(3, joinBytes(stringField(1, 'http://127.0.0.1/e/{{EID}}'), stringField(2, '{{EID}}'))),
    bytesField(4, joinBytes(...plugins.map((plugin) => stringField(1, plugin)))),
    bytesField(5, limits),
  );
}
