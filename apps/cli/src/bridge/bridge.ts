import * as grpc from '@grpc/grpc-js';
import type { ExperimentId } from '#model';
import type { GrpcTarget } from './grpc-target.ts';
import { asksForBlobOf, pinnedRequest } from './pinned-request.ts';

/** Name of the gRPC service that stock TensorBoard reads through. */
const service = 'tensorboard.data.TensorBoardDataProvider';
const unaryMethods = [
  'GetExperiment',
  'ListPlugins',
  'ListRuns',
  'ListScalars',
  'ReadScalars',
  'ListTensors',
  'ReadTensors',
  'ListBlobSequences',
  'ReadBlobSequences',
] as const;

/** Maximum size of a message: stock TensorBoard does not accept larger messages. */
const maxMessageBytes = 256 * 1024 * 1024;
/** How long the bridge waits for the service to restart. TensorBoard itself waits forever. */
const restartWaitMs = 60_000;

/** The target of a bridge, and the credentials to read it. */
export interface BridgeOptions extends GrpcTarget {
  readonly experimentId: ExperimentId;
  /** Headers with the caller's credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Called when the service is unreachable or no longer accepts the credentials. */
  readonly onTrouble: (code: 'unavailable' | 'unauthenticated', details: string) => void;
}

/**
 * Stock TensorBoard sends no credentials, and does not know which experiment it shows. The bridge
 * accepts TensorBoard's calls on a loopback port, and forwards them with the caller's credentials.
 * It serves one experiment, and rejects calls for any other. Messages are forwarded as bytes.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #client: grpc.Client;
  readonly #server: grpc.Server;
  #port = 0;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#client = new grpc.Client(options.target, options.credentials, {
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': maxMessageBytes,
      'grpc.primary_user_agent': options.userAgent,
    });
    this.#server = new grpc.Server({ 'grpc.max_send_message_length': maxMessageBytes, 'grpc.max_receive_message_length': maxMessageBytes });
    const handlers = Object.fromEntries(unaryMethods.map((name) => [name, this.#unary(name)]));
    this.#server.addService(definition(), { ...handlers, ReadBlob: this.#readBlob });
  }

  /** `127.0.0.1:PORT`. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /**
   * Calls the service once, so that errors are reported before TensorBoard starts. Rejects with the
   * call's status.
   */
  async check(deadlineMs = 10_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const request = pinnedRequest(Buffer.alloc(0), this.#options.experimentId)!;
      const deadline = Date.now() + deadlineMs;
      this.#client.makeUnaryRequest(pathOf('GetExperiment'), asIs, asIs, request, this.#metadata(false), { deadline }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  async listen(): Promise<void> {
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  close(): void {
    this.#server.forceShutdown();
    this.#client.close();
  }

  #unary(name: string): grpc.handleUnaryCall<Buffer, Buffer> {
    return (call, response) => {
      const request = this.#pin(call.request);
      if ('code' in request) {
        response(request);
        return;
      }
      const options = { deadline: this.#deadline(call) };
      const sent = this.#client.makeUnaryRequest(pathOf(name), asIs, asIs, request, this.#metadata(), options, (error, bytes) =>
        response(error ? this.#explain(error) : null, bytes),
      );
      call.once('cancelled', () => sent.cancel());
    };
  }

  readonly #readBlob: grpc.handleServerStreamingCall<Buffer, Buffer> = (call) => {
    if (!asksForBlobOf(call.request, this.#options.experimentId)) {
      call.emit('error', notHere());
      return;
    }
    const blob = this.#client.makeServerStreamRequest(pathOf('ReadBlob'), asIs, asIs, call.request, this.#metadata(), {
      deadline: call.getDeadline(),
    });
    call.once('cancelled', () => blob.cancel());
    blob.on('data', (piece: Buffer) => {
      if (call.write(piece)) return;
      blob.pause();
      call.once('drain', () => blob.resume());
    });
    blob.on('end', () => call.end());
    blob.on('error', (error: grpc.ServiceError) => call.emit('error', this.#explain(error)));
  };

  #pin(request: Buffer): Buffer | grpc.StatusObject {
    try {
      return pinnedRequest(request, this.#options.experimentId) ?? notHere();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return {
        code: grpc.status.INVALID_ARGUMENT,
        details: 'The request body is not a valid message for this service.',
        metadata: new grpc.Metadata(),
      };
    }
  }

  #metadata(waitForReady = true): grpc.Metadata {
    const metadata = new grpc.Metadata({ waitForReady });
    for (const [name, value] of Object.entries(this.#options.headers)) metadata.set(name, value);
    return metadata;
  }

  #deadline(call: grpc.ServerUnaryCall<Buffer, Buffer>): grpc.Deadline {
    const own = call.getDeadline();
    return own instanceof Date || Number.isFinite(own) ? own : Date.now() + restartWaitMs;
  }

  /**
   * The status to forward to TensorBoard. TensorBoard shows users the text of some statuses and
   * nothing for others (protocol reference C.3).
   */
  #explain({ code, details }: grpc.ServiceError): grpc.StatusObject {
    const { onTrouble } = this.#options;
    if (code === grpc.status.UNAVAILABLE || code === grpc.status.DEADLINE_EXCEEDED) onTrouble('unavailable', details);
    if (code === grpc.status.UNAUTHENTICATED) onTrouble('unauthenticated', details);
    return { code: code === grpc.status.UNAUTHENTICATED ? grpc.status.PERMISSION_DENIED : code, details, metadata: new grpc.Metadata() };
  }
}

function notHere(): grpc.StatusObject {
  return {
    code: grpc.status.NOT_FOUND,
    details: 'This TensorBoard shows one experiment, but the request is for another experiment. Open TensorBoard at /.',
    metadata: new grpc.Metadata(),
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

function pathOf(method: string): string {
  return `/${service}/${method}`;
}

function definition(): grpc.ServiceDefinition {
  const method = (name: string, responseStream: boolean) => ({
    path: pathOf(name),
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  });
  return { ...Object.fromEntries(unaryMethods.map((name) => [name, method(name, false)])), ReadBlob: method('ReadBlob', true) };
}
