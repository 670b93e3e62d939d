import { createServer } from 'node:http';
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { bytesField, joinBytes, stringField } from '#testing';

/** A client's messages, as bytes. */
interface Received {
  requests: number;
  bytes: number;
}

/**
 * A server that responds to the stock uploader and stores nothing, which shows the speed of the
 * client alone.
 */
export interface Sink {
  readonly origin: string;
  readonly received: Received;
  stop(): Promise<void>;
}

const service = '/tensorboard.service.TensorBoardWriterService/';
const same = (bytes: Buffer): Buffer => bytes;

/**
 * Starts the sink on two loopback ports. `handshake`: the ServerInfoResponse of the server that it
 * replaces, including its limits.
 */
export async function startSink(handshake: Uint8Array): Promise<Sink> {
  const received: Received = { requests: 0, bytes: 0 };
  const take = (message: Buffer): void => {
    received.requests++;
    received.bytes += message.length;
  };
  let sequences = 0;
  const responses: Readonly<Record<string, () => Uint8Array>> = {
    CreateExperiment: () => stringField(1, 'sinksinksinksinksinksi'),
    WriteScalar: () => new Uint8Array(),
    WriteTensor: () => new Uint8Array(),
    GetOrCreateBlobSequence: () => stringField(1, `sequence${sequences++}`),
  };
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: Record<string, (...args: never[]) => void> = {};
  for (const rpc of [...Object.keys(responses), 'WriteBlob']) {
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
          call.on('data', take);
          call.on('end', () => call.end());
        }
      : (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
          take(call.request);
          done(null, Buffer.from(responses[rpc]!()));
        };
  }
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  server.addService(definition, handlers as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  // Protobuf merges a message field that occurs twice: the last endpoint wins. ServerInfoResponse{2
  // api_server{1 endpoint}}
  const result = joinBytes(handshake, bytesField(2, stringField(1, `dns:///127.0.0.1:${port}`)));
  const http = createServer((request, response) => {
    request.resume().on('end', () => response.end(result));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port: httpPort } = http.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${httpPort}`,
    received,
    stop: async () => {
      server.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
